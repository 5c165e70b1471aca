// Resolves the names of an expression: keys, P., L., E.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/expr/ast.h"
#include "engine/expr/diagnostics.h"
#include "engine/expr/expression.h"

namespace rankd {

/// Each call sets the node's slot and gives its type, or reports and gives kUnknown.
class NameResolver {
 public:
  NameResolver(const ExpressionScope& scope, Diagnostics& diagnostics)
      : scope_(scope), diagnostics_(diagnostics) {}

  StaticType Key(const Ast& ast, AstNode& node);           ///< slot: KeyId
  StaticType Param(const Ast& ast, AstNode& node);         ///< slot: ParamId
  StaticType LoopVariable(const Ast& ast, AstNode& node);  ///< slot: index of the variable
  StaticType ErrorField(const Ast& ast, AstNode& node);    ///< slot: ErrorFieldSlot

 private:
  std::string Unknown(std::string_view what, const Ast& ast, const AstNode& node,
                      const std::vector<std::string_view>& known);
  const std::vector<std::string_view>& KeyNames();
  const std::vector<std::string_view>& ParamNames();

  const ExpressionScope& scope_;
  Diagnostics& diagnostics_;
  std::vector<std::string_view> key_names_;    // made when first needed
  std::vector<std::string_view> param_names_;  // made when first needed
  int unknown_ = 0;
};

/// The fields of E, as slots.
enum class ErrorFieldSlot : std::uint32_t { kCode, kMessage, kNode };

}  // namespace rankd
