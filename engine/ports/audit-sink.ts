/** The ledger of decisions: one entry per call that needed a verdict, one per outcome. */
import type { DecidedBy, JudgedNeed, PermissionMode, Risk, SandboxUse, ToolKind, Verdict } from '../protocol/index.ts'

export type AuditEntry =
  | {
      type: 'decision'
      callId: string
      requestId: string | null
      tool: string
      kind: ToolKind
      title: string
      cwd: string
      mode: PermissionMode
      needs: JudgedNeed[]
      risk: Risk
      /** What the engine said before anybody was asked. */
      verdict: Verdict
      /** What counted in the end. */
      outcome: 'allow' | 'deny'
      decidedBy: DecidedBy
      rule: string | null
      reason: string
      /** sha256 of what was shown. */
      digestShown: string
      /** sha256 of what was permitted; differs from `digestShown` only by a recorded amendment. */
      digestPermitted: string
      latencyMs: number
      message?: string
      /** The rule that the person's "always" wrote with it. */
      wrote?: { text: string; scope: 'session' | 'project' | 'user' }
      /** For tools that run commands: whether what was decided on runs in the sandbox. */
      sandbox?: SandboxUse
      /**
       * Decided while the call ran: a host that it may reach, or to run it again outside the sandbox; or afterwards, in a
       * review of what it did. Absent: the call itself.
       */
      step?: 'host' | 'outside' | 'review'
    }
  | {
      type: 'outcome'
      callId: string
      tool: string
      ok: boolean
      /** sha256 of what was really done; null when nothing was. */
      digestApplied: string | null
      durationMs: number
      error?: string
      /** What a review did to the file of the call. */
      step?: 'review'
    }

/** What the transcript was when it was written: `transcript` is the sha256 of the lines of these `seq`s, each with its line feed. */
export type TranscriptSeal = { type: 'seal'; firstSeq: number; lastSeq: number; lines: number; transcript: string }

export interface AuditSink {
  /** Written before the decided thing happens. Never throws; a failed write is reported once through `onProblem` of the adapter. */
  record(entry: AuditEntry | TranscriptSeal, turnId: string | null): void
  flush(): Promise<void>
}
