/** The judge as the executor sees it: facts and rules in, a verdict with its reasons out. */
import type { StoredRule } from '../ports/index.ts'
import type {
  JudgedNeed,
  PermissionMode,
  PermissionNeed,
  Risk,
  RuleScope,
  RuleSuggestion,
  ToolKind,
  Verdict,
} from '../protocol/index.ts'

export type JudgeInput = {
  tool: string
  kind: ToolKind
  needs: readonly PermissionNeed[]
  mode: PermissionMode
  rules: readonly StoredRule[]
}

export type Judgement = {
  verdict: Verdict
  parts: JudgedNeed[]
  /** The rule that decided, exactly as written; null when none did. */
  rule: string | null
  scope: RuleScope | null
  reason: string
  risk: Risk
  /** Whether a rule (a built-in default too) or the mode gave the verdict. */
  decidedBy: 'rule' | 'mode'
  suggestions: RuleSuggestion[]
}

export type Judge = (input: JudgeInput) => Judgement
