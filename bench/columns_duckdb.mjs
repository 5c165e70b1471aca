// The rows and the query of columns.cc in DuckDB, one thread, the table in memory.
//
// usage: node columns_duckdb.mjs --modules DIR [--rows N] [--rounds N]
//
// DIR holds node_modules with @duckdb/node-api. One line of JSON for each number of rows and each
// way to store the countries (VARCHAR, as one would, and ENUM): nanoseconds a row, the median of the
// rounds. The statement is prepared once; a run is its execution and the fetch of its 100 rows.
import { createRequire } from "node:module";
import path from "node:path";

const flag = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const require = createRequire(path.resolve(flag("--modules", "."), "package.json"));
const { DuckDBInstance } = require("@duckdb/node-api");

const COUNTRIES = ["US", "CA", "MX", "BR", "FR", "DE", "JP", "NG"];
const KEPT = 6;
const TAKEN = 100;
const ROWS_PER_ROUND = 400_000;
const MOST_RUNS = 40; // a run of few rows takes DuckDB a millisecond

/** As MakePlainRows of columns_rows.h. */
function makeRows(rows) {
  let state = 2463534242;
  const below = (limit) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state * limit) / 2 ** 32);
  };
  const id = Array.from({ length: rows }, (_, i) => i + 1);
  for (let i = rows - 1; i > 0; --i) {
    const j = below(i + 1);
    [id[i], id[j]] = [id[j], id[i]];
  }
  const n = [];
  const country = [];
  for (let i = 0; i < rows; ++i) {
    n.push(below(1000));
    country.push(below(COUNTRIES.length));
  }
  const kept = [];
  for (let i = 0; i < rows; ++i) {
    if (country[i] < KEPT) kept.push(id[i] * 0.37 + n[i] / 3);
  }
  kept.sort((a, b) => b - a);
  return { id, n, country, cut: kept[Math.min(kept.length, rows / 2) - 1] };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function measure(connection, rows, type, rounds) {
  const made = makeRows(rows);
  await connection.run(`CREATE OR REPLACE TABLE rows (id BIGINT, n BIGINT, country ${type})`);
  const appender = await connection.createAppender("rows_in");
  for (let i = 0; i < rows; ++i) {
    appender.appendBigInt(BigInt(made.id[i]));
    appender.appendBigInt(BigInt(made.n[i]));
    appender.appendVarchar(COUNTRIES[made.country[i]]);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run("INSERT INTO rows SELECT * FROM rows_in");
  await connection.run("DELETE FROM rows_in");
  const countries = COUNTRIES.slice(0, KEPT).map((c) => `'${c}'`).join(", ");
  const statement = await connection.prepare(
    `SELECT id, n, country, score
     FROM (SELECT id, n, country, id * 0.37::DOUBLE + n / 3 AS score FROM rows)
     WHERE score >= '${made.cut}'::DOUBLE AND country IN (${countries})
     ORDER BY score DESC LIMIT ${TAKEN}`);
  const once = async () => (await statement.run()).getRows();

  let taken = await once();
  const sum = taken.reduce((total, row) => total + Number(row[0]), 0);
  const runs = Math.min(MOST_RUNS, Math.max(2, Math.round(ROWS_PER_ROUND / rows)));
  const perRow = [];
  for (let round = 0; round < rounds; ++round) {
    const start = process.hrtime.bigint();
    for (let run = 0; run < runs; ++run) taken = await once();
    perRow.push(Number(process.hrtime.bigint() - start) / runs / rows);
  }
  const ns = median(perRow);
  console.log(JSON.stringify({
    rows, who: type.startsWith("ENUM") ? "DuckDB, enum" : "DuckDB", ns_a_row: ns,
    least: Math.min(...perRow), most: Math.max(...perRow), us_a_run: (ns * rows) / 1e3,
    rows_per_second: 1e9 / ns, sum_of_ids: sum,
  }));
}

const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run("SET threads TO 1");
await connection.run("CREATE TABLE rows_in (id BIGINT, n BIGINT, country VARCHAR)");
const only = Number(flag("--rows", "0"));
for (const rows of [100, 10_000, 1_000_000]) {
  if (only !== 0 && only !== rows) continue;
  for (const type of ["VARCHAR", `ENUM (${COUNTRIES.map((c) => `'${c}'`).join(", ")})`]) {
    await measure(connection, rows, type, Number(flag("--rounds", "5")));
  }
}
