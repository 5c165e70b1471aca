#include "engine/plan/registry.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "engine/plan/object_reader.h"
#include "engine/plan/place.h"
#include "engine/plan/schema_entry.h"

namespace rankd {
namespace {

constexpr std::array<std::string_view, 2> kRegistryFields = {"keys", "params"};

/// Keys and params alike: what the two have in common of a Schema, as KeySpecs.
class Entries {
 public:
  Entries(EntryKind kind, Schema& schema) : kind_(kind), schema_(schema) {}

  EntryKind kind() const { return kind_; }
  std::string_view kind_name() const { return EntryKindName(kind_); }
  bool IsId(std::string_view name) const { return kind_ == EntryKind::kKey && name == "id"; }

  std::optional<KeySpec> Find(std::string_view name) const {
    if (kind_ == EntryKind::kKey) {
      const std::optional<KeyId> key = schema_.FindKey(name);
      return key ? std::optional(schema_.key(*key)) : std::nullopt;
    }
    const std::optional<ParamId> param = schema_.FindParam(name);
    return param ? std::optional(ToKeySpec(schema_.param(*param))) : std::nullopt;
  }

  /// The name of the entry with that registry id.
  std::optional<std::string> NameOf(std::int64_t registry_id) const {
    if (kind_ == EntryKind::kKey) {
      const std::optional<KeyId> key = schema_.FindKey(registry_id);
      return key ? std::optional(schema_.key(*key).name) : std::nullopt;
    }
    const std::optional<ParamId> param = schema_.FindParam(registry_id);
    return param ? std::optional(schema_.param(*param).name) : std::nullopt;
  }

  void Add(KeySpec spec) {
    if (kind_ == EntryKind::kKey) {
      schema_.AddKey(std::move(spec));
    } else {
      schema_.AddParam(ToParamSpec(std::move(spec)));
    }
  }

  void Replace(KeySpec spec) {
    if (kind_ == EntryKind::kKey) {
      const KeyId key = *schema_.FindKey(spec.name);
      schema_.SetKey(key, std::move(spec));
    } else {
      const ParamId param = *schema_.FindParam(spec.name);
      schema_.SetParam(param, ToParamSpec(std::move(spec)));
    }
  }

 private:
  EntryKind kind_;
  Schema& schema_;
};

/// Each registry id belongs to one entry for good; what is wrong is put back to `before`.
void CheckRegistryId(const Entries& entries, std::optional<std::int64_t> before, const Place& place,
                     KeySpec& spec, Problems& problems) {
  if (!spec.registry_id || spec.registry_id == before) return;
  const std::string id = std::to_string(*spec.registry_id);
  const std::string what = std::string(entries.kind_name()) + " ";
  if (before) {
    problems.Add(Place(place, "id").Pointer(), "the " + what + JsonQuoted(spec.name) +
                                                   " has the id " + std::to_string(*before) +
                                                   " already, not " + id);
    spec.registry_id = before;
  } else if (const std::optional<std::string> owner = entries.NameOf(*spec.registry_id)) {
    problems.Add(Place(place, "id").Pointer(),
                 "the id " + id + " is that of the " + what + JsonQuoted(*owner) + " already");
    spec.registry_id = before;
  }
}

/// The key `id` is what it is, whatever is said of it.
void CheckId(const Json& object, const Place& place, KeySpec& spec, Problems& problems) {
  // Left out, they are what they must be; only a contradiction is a problem.
  const Json* nullable = object.Find("nullable");
  if (nullable != nullptr && nullable->AsBool() == true) {
    problems.Add(Place(place, "nullable").Pointer(), "the key \"id\" is never null");
  }
  const Json* write = object.Find("allow_write");
  if (write != nullptr && write->AsBool() == true) {
    problems.Add(Place(place, "allow_write").Pointer(),
                 "the key \"id\" is never written by a plan");
  }
  if (spec.status == EntryStatus::kBlocked) {
    problems.Add(Place(place, "status").Pointer(), "the key \"id\" cannot be blocked");
    spec.status = EntryStatus::kActive;
  }
  spec.nullable = false;
  spec.allow_write = false;
}

void CheckSameType(const Entries& entries, const KeySpec& known, ValueType type, const Place& place,
                   Problems& problems) {
  if (known.type == type) return;
  problems.Add(place.Pointer(), "the " + std::string(entries.kind_name()) + " " +
                                    JsonQuoted(known.name) + " has the type " +
                                    std::string(TypeName(known.type)) + ", not " +
                                    std::string(TypeName(type)));
}

/// Changes the attributes of `known` that `object` gives.
void Redefine(Entries& entries, KeySpec known, const Json& object, const Place& place,
              Problems& problems) {
  const std::optional<std::int64_t> registry_id = known.registry_id;
  ReadAttributes(object, entries.kind(), place, known, problems);
  ReadDefault(object, place, known, problems);
  CheckRegistryId(entries, registry_id, place, known, problems);
  if (entries.IsId(known.name)) CheckId(object, place, known, problems);
  entries.Replace(std::move(known));
}

/// For an entry that cannot be kept: its other fields are looked at all the same.
void LookAtOthers(const Entries& entries, const Json& object, const Place& place,
                  Problems& problems) {
  KeySpec lost;
  ReadAttributes(object, entries.kind(), place, lost, problems);
}

void Define(Entries& entries, std::string_view name, ValueType type, const Json* object,
            const Place& place, Problems& problems) {
  KeySpec spec;
  spec.name = name;
  spec.type = type;
  if (object != nullptr) {
    ReadAttributes(*object, entries.kind(), place, spec, problems);
    ReadDefault(*object, place, spec, problems);
    CheckRegistryId(entries, std::nullopt, place, spec, problems);
  }
  entries.Add(std::move(spec));
}

std::string BadName(const Entries& entries, std::string_view name) {
  return "the name of a " + std::string(entries.kind_name()) +
         " is made of letters, digits and _ and does not begin with a digit: not " +
         JsonQuoted(name);
}

void ParseRegistryEntry(Entries& entries, const Json& object, const Place& place, bool& id_declared,
                        Problems& problems) {
  ObjectReader reader(object, place, problems);
  const std::optional<std::string_view> name = reader.String("name", Need::kRequired);
  const std::optional<ValueType> type = ReadEntryType(object, true, place, problems);
  const bool good_name = name && IsEntryName(*name);
  if (name && !good_name) reader.Problem("name", BadName(entries, *name));

  std::optional<KeySpec> known = good_name ? entries.Find(*name) : std::nullopt;
  const bool is_id = good_name && entries.IsId(*name);
  if (known && (!is_id || id_declared)) {
    reader.Problem("name", "the " + std::string(entries.kind_name()) + " " + JsonQuoted(*name) +
                               " is declared twice");
  } else if (is_id && type) {
    id_declared = true;
    CheckSameType(entries, *known, *type, Place(place, "type"), problems);
    Redefine(entries, *std::move(known), object, place, problems);
    return;
  } else if (good_name && type) {
    Define(entries, *name, *type, &object, place, problems);
    return;
  }
  LookAtOthers(entries, object, place, problems);
}

void ParseRegistryList(Entries entries, const Json* list, const Place& place, Problems& problems) {
  if (list == nullptr) return;
  bool id_declared = false;
  for (std::size_t i = 0; i < list->items().size(); ++i) {
    const Json& item = list->items()[i];
    const Place here(place, i);
    if (item.is_object()) {
      ParseRegistryEntry(entries, item, here, id_declared, problems);
    } else {
      problems.Add(here.Pointer(), "a " + std::string(entries.kind_name()) +
                                       " must be an object, not " + item.Describe());
    }
  }
}

/// An entry of a plan as an object: as in the registry, its name is that of the field.
void MergeObject(Entries& entries, std::string_view name, const Json& object, const Place& place,
                 Problems& problems) {
  ObjectReader reader(object, place, problems);
  const std::optional<std::string_view> inner = reader.String("name", Need::kOptional);
  if (inner && *inner != name) {
    reader.Problem("name",
                   "\"name\" is " + JsonQuoted(*inner) + " but the field is " + JsonQuoted(name));
  }
  std::optional<KeySpec> known = entries.Find(name);
  const std::optional<ValueType> type = ReadEntryType(object, !known, place, problems);
  if (known && type) CheckSameType(entries, *known, *type, Place(place, "type"), problems);
  if (known && type.value_or(known->type) == known->type) {
    Redefine(entries, *std::move(known), object, place, problems);
  } else if (!known && type) {
    Define(entries, name, *type, &object, place, problems);
  } else {
    LookAtOthers(entries, object, place, problems);
  }
}

void MergeEntry(Entries& entries, const JsonField& field, const Place& place, Problems& problems) {
  if (!IsEntryName(field.name)) {
    problems.Add(place.Pointer(), BadName(entries, field.name));
    return;
  }
  if (field.value.is_object()) {
    MergeObject(entries, field.name, field.value, place, problems);
    return;
  }
  const std::optional<std::string_view> type_name = field.value.AsString();
  const std::optional<ValueType> type = type_name ? TypeFromName(*type_name) : std::nullopt;
  if (!type) {
    problems.Add(place.Pointer(), "a " + std::string(entries.kind_name()) +
                                      " is given as a type (int, float, bool, string) or an "
                                      "object, not " +
                                      field.value.Describe());
    return;
  }
  if (const std::optional<KeySpec> known = entries.Find(field.name)) {
    CheckSameType(entries, *known, *type, place, problems);
  } else {
    Define(entries, field.name, *type, nullptr, place, problems);
  }
}

void MergeEntries(Entries entries, const Json* object, const Place& place, Problems& problems) {
  if (object == nullptr) return;
  for (const JsonField& field : object->fields()) {
    if (!field.value.is_null()) {
      MergeEntry(entries, field, Place(place, field.name), problems);
    }
  }
}

}  // namespace

Schema ParseRegistry(const Json& root, Problems& problems) {
  Schema schema;
  if (!root.is_object()) {
    problems.Add("", "a registry must be an object, not " + root.Describe());
    return schema;
  }
  RefuseRepeatedFields(root, problems);
  const Place place;
  ObjectReader reader(root, place, problems);
  reader.RefuseOthers(kRegistryFields);
  ParseRegistryList(Entries(EntryKind::kKey, schema), reader.Array("keys", Need::kOptional),
                    Place(place, "keys"), problems);
  ParseRegistryList(Entries(EntryKind::kParam, schema), reader.Array("params", Need::kOptional),
                    Place(place, "params"), problems);
  return schema;
}

void MergePlanEntries(const Json* keys, const Json* params, Schema& schema, Problems& problems) {
  const Place root;
  MergeEntries(Entries(EntryKind::kKey, schema), keys, Place(root, "keys"), problems);
  MergeEntries(Entries(EntryKind::kParam, schema), params, Place(root, "params"), problems);
}

}  // namespace rankd
