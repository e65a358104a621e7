/** Puts one model request together: system prompt → instructions → workspace context → history → the user's words last. */
import type { ContextSection } from '../ports/index.ts'
import type { ContextBudget, Evidence, Message, Omitted, ToolSchema } from '../protocol/index.ts'
import { estimateTokens, fitHistory, tokensOf, tokensOfTools } from './budget.ts'

export type BuildInput = {
  system: string
  sections: readonly ContextSection[]
  /** History with the current user message and all that followed it. */
  history: readonly Message[]
  tools: readonly ToolSchema[]
  contextWindow: number
  maxOutputTokens?: number
}

export type BuiltContext = {
  messages: Message[]
  budget: ContextBudget
  evidence: Evidence[]
  omitted: Omitted[]
  instructions: string[]
  /** False when even the last turn does not fit. */
  fits: boolean
}

const headings: Record<ContextSection['kind'], string> = {
  instructions: 'Instructions of this project and person',
  skill: 'Skill',
  memory: 'Memory',
  workspace: 'Workspace',
}

/** Never exceeds the window less the reserve for the answer; what was left out is listed in `omitted`. */
export function buildContext(input: BuildInput): BuiltContext {
  const reserve = Math.min(input.maxOutputTokens ?? 8192, Math.floor(input.contextWindow / 4))
  const system: Message[] = [{ role: 'system', content: input.system }]
  const order: ContextSection['kind'][] = ['instructions', 'skill', 'memory', 'workspace']
  for (const kind of order) {
    for (const section of input.sections) {
      if (section.kind !== kind || section.content === '') continue
      system.push({ role: 'system', content: `# ${headings[kind]}: ${section.name}\n\n${section.content}` })
    }
  }
  const systemTokens = system.reduce((sum, message) => sum + tokensOf(message), 0)
  const toolTokens = tokensOfTools(input.tools)
  const fit = fitHistory(input.history, input.contextWindow - reserve - systemTokens - toolTokens)
  const used = systemTokens + toolTokens + fit.tokens
  return {
    messages: [...system, ...fit.messages],
    budget: {
      limit: input.contextWindow,
      reserve,
      used,
      sections: [
        { name: 'system prompt', tokens: estimateTokens(input.system) },
        ...input.sections.map((section) => ({ name: section.name, tokens: estimateTokens(section.content) })),
        { name: 'tools', tokens: toolTokens },
        { name: 'conversation', tokens: fit.tokens },
      ],
    },
    evidence: input.sections.flatMap((section) => section.evidence ?? []),
    omitted: fit.omitted,
    instructions: input.sections.filter((section) => section.kind === 'instructions').map((section) => section.name),
    fits: fit.fits,
  }
}
