#include "engine/expr/names.h"

#include <array>
#include <optional>

#include "engine/expr/functions.h"

namespace rankd {
namespace {

constexpr int kMostSuggestions = 100;
constexpr std::array<std::string_view, 3> kErrorFields = {"code", "message", "node"};

}  // namespace

std::string NameResolver::Unknown(std::string_view what, const Ast& ast, const AstNode& node,
                                  const std::vector<std::string_view>& known) {
  std::string message = "unknown " + std::string(what) + " ";
  if (node.by_registry_id) return message + std::to_string(node.integer);
  message += Quoted(ast.string(node));
  // Each suggestion looks at every known name; a file full of unknown ones must not take minutes.
  if (++unknown_ <= kMostSuggestions) message += Suggestion(ast.string(node), known);
  return message;
}

const std::vector<std::string_view>& NameResolver::KeyNames() {
  if (key_names_.empty()) key_names_ = scope_.schema->KeyNames();
  return key_names_;
}

const std::vector<std::string_view>& NameResolver::ParamNames() {
  if (param_names_.empty()) param_names_ = scope_.schema->ParamNames();
  return param_names_;
}

StaticType NameResolver::Key(const Ast& ast, AstNode& node) {
  const std::optional<KeyId> key = node.by_registry_id ? scope_.schema->FindKey(node.integer)
                                                       : scope_.schema->FindKey(ast.string(node));
  if (!key) {
    std::string message = Unknown("key", ast, node, KeyNames());
    if (!node.by_registry_id && scope_.schema->FindParam(ast.string(node))) {
      message += "; the param of that name is P." + ast.string(node);
    }
    if (!node.by_registry_id && FindFunction(ast.string(node)) != nullptr) {
      message += "; the function of that name is " + ast.string(node) + "()";
    }
    diagnostics_.Report(node.place, std::move(message));
    return StaticType::kUnknown;
  }
  const KeySpec& spec = scope_.schema->key(*key);
  if (spec.status == EntryStatus::kBlocked) {
    diagnostics_.Report(node.place, "the key " + Quoted(spec.name) + " is blocked");
    return StaticType::kUnknown;
  }
  node.slot = static_cast<std::uint32_t>(*key);
  return StaticTypeOf(spec.type);
}

StaticType NameResolver::Param(const Ast& ast, AstNode& node) {
  const std::optional<ParamId> param = node.by_registry_id
                                           ? scope_.schema->FindParam(node.integer)
                                           : scope_.schema->FindParam(ast.string(node));
  if (!param) {
    diagnostics_.Report(node.place, Unknown("param", ast, node, ParamNames()));
    return StaticType::kUnknown;
  }
  const ParamSpec& spec = scope_.schema->param(*param);
  if (spec.status == EntryStatus::kBlocked) {
    diagnostics_.Report(node.place, "the param " + Quoted(spec.name) + " is blocked");
    return StaticType::kUnknown;
  }
  node.slot = static_cast<std::uint32_t>(*param);
  return StaticTypeOf(spec.type);
}

StaticType NameResolver::LoopVariable(const Ast& ast, AstNode& node) {
  // The innermost of a name hides the others; it stands last.
  for (std::size_t i = scope_.loop_variables.size(); i-- > 0;) {
    if (scope_.loop_variables[i] == ast.string(node)) {
      node.slot = static_cast<std::uint32_t>(i);
      return StaticType::kInt;
    }
  }
  const std::vector<std::string_view> known(scope_.loop_variables.begin(),
                                            scope_.loop_variables.end());
  std::string message = Unknown("loop variable", ast, node, known);
  if (known.empty()) message += "; there is no loop here";
  diagnostics_.Report(node.place, std::move(message));
  return StaticType::kUnknown;
}

StaticType NameResolver::ErrorField(const Ast& ast, AstNode& node) {
  if (!scope_.error_variables) {
    diagnostics_.Report(node.place,
                        Quoted("E." + ast.string(node)) + " is known in a catch body only");
    return StaticType::kUnknown;
  }
  for (std::size_t i = 0; i < kErrorFields.size(); ++i) {
    if (kErrorFields[i] == ast.string(node)) {
      node.slot = static_cast<std::uint32_t>(i);
      return StaticType::kString;
    }
  }
  diagnostics_.Report(node.place, "unknown error field " + Quoted(ast.string(node)) +
                                      Suggestion(ast.string(node), kErrorFields) +
                                      "; there are E.code, E.message and E.node");
  return StaticType::kUnknown;
}

}  // namespace rankd
