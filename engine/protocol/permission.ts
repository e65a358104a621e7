/** What is asked of a person and what they answer: plain data, so a request can be shown, stored and offered again. */
import type { Block } from './block.ts'

export type PermissionMode = 'default' | 'accept-edits' | 'plan' | 'yolo'
export const permissionModes: readonly PermissionMode[] = ['default', 'accept-edits', 'plan', 'yolo']

export type ToolKind = 'read' | 'edit' | 'execute' | 'network' | 'ask'

/** Worst effect of a call, in rising order of weight. */
export type RiskLevel = 'read' | 'write-inside' | 'write-outside' | 'delete' | 'network' | 'publish' | 'privilege'
export type Risk = { level: RiskLevel; reason: string }

/**
 * Facts that a tool states about a call; a verdict is the permission engine's alone.
 * `path` is canonical and absolute, `shown` is what a person reads.
 * A command need is one simple command: `argv` null when its words are not all literal; `text` is its source.
 */
export type PermissionNeed =
  | { type: 'path'; access: 'read' | 'write' | 'delete'; path: string; shown: string; inside: boolean }
  | {
      type: 'command'
      argv: string[] | null
      plain: boolean
      hazards: string[]
      writes: string[]
      text: string
      /** Where words of it lead otherwise than they are spelled: through links, patterns, variables, as a target's content. */
      leads?: { word: string; path: string }[]
    }
  | { type: 'network'; host: string; url: string }
  | { type: 'mcp'; server: string; tool: string }

export type Verdict = 'allow' | 'ask' | 'deny'

/** Where a rule was written; in falling order of how long it lives. */
export type RuleScope = 'builtin' | 'user' | 'project' | 'local' | 'session' | 'cli'

/** What the person did to the rules for a session outside of a question. */
export type RuleChange = { change: 'added' | 'removed'; text: string; verdict: Verdict }

/** One need with its verdict; `rule` is the exact text of the rule that decided, null when none did. */
export type JudgedNeed = {
  need: PermissionNeed
  verdict: Verdict
  rule: string | null
  scope: RuleScope | null
  reason: string
}

/**
 * A rule that "always" would write, exactly as it would be written. `covers` is how many of the calls that were asked about
 * before in this session it would have allowed.
 */
export type RuleSuggestion = { text: string; label: string; covers?: number }

/**
 * One call of a change set. Its file is the diff block whose path is `path`; calls of one file share that block. `digest` is
 * what the ledger says was shown for the call.
 */
export type ChangeSetCall = { callId: string; tool: string; title: string; path: string; digest: string }

export type PermissionRequest = {
  id: string
  callId: string
  tool: string
  kind: ToolKind
  title: string
  /** Canonical working directory of the call. */
  cwd: string
  needs: JudgedNeed[]
  risk: Risk
  /** Why this is asked: the rule, or that no rule covers it. */
  reason: string
  /** The model's own words before the call, if any. */
  modelReason?: string
  /** The whole of what would be done, never cut. */
  blocks: Block[]
  /** sha256 hex over the plan: a decision is valid for this digest only. */
  digest: string
  /** Rules that "always" may write; empty when none may. */
  suggestions: RuleSuggestion[]
  /** Requests of one reply share a group. */
  group?: { id: string; index: number; size: number }
  /** The calls that are decided together, in call order; absent for a request about `callId` alone. */
  changeSet?: ChangeSetCall[]
  /** Set for kind `ask`: the person answers with text. */
  question?: { text: string; options?: string[] }
  /** For tools that run commands: `unavailable` where a sandbox is wanted and there is none, so that it would run outside. */
  sandbox?: SandboxUse
}

export type SandboxUse = 'on' | 'off' | 'unavailable'

export type LineComment = { path: string; hunk: number; line: number; snippet: string; text: string }

/** What the person changed before they said yes. */
export type Amendment = {
  /** Per file, the lines that are kept: hunk index → indices of kept changed lines, or true for all of it. */
  selection?: Record<string, Record<number, true | number[]>>
  /** Per file, the person's own text instead of the proposed one. */
  editedText?: Record<string, string>
  editedCommand?: string
  comments?: LineComment[]
}

export type Decision =
  | {
      type: 'allow'
      /** The digest that was shown; another digest makes the decision void. */
      digest: string
      rule?: { text: string; scope: 'session' | 'project' | 'user' }
      amendment?: Amendment
      /** The answer to a question. */
      answer?: string
      /** A note that goes to the model with the result. */
      note?: string
    }
  | { type: 'deny'; message?: string }

/** Who decided: a person, a rule, a mode, a hook, the demo, or that nobody could (headless). */
export type DecidedBy = 'person' | 'rule' | 'mode' | 'hook' | 'headless' | 'demo' | 'abandoned'
