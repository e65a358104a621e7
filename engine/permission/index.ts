/** The permission engine: rules, modes, protected paths and risk, as pure functions over facts. */
import { suggestRules } from './always.ts'
import { judge, type World } from './judge.ts'
import type { Judge } from './judge-port.ts'

export { suggestRules } from './always.ts'
export { commandArity } from './arity.ts'
export { createPermissionGate, type GateAnswer, type PermissionGate } from './gate.ts'
export { type Call, judge, judgeRead, type Ruling, type World } from './judge.ts'
export type { Judge, JudgeInput, Judgement } from './judge-port.ts'
export { modeMeaning, nextMode } from './modes.ts'
export { protectedReason, secretReason } from './protected-paths.ts'
export { heavierRisk, riskOf, riskOrder } from './risk.ts'
export { builtinTools, type ParsedRule, parseRule, type RuleParse, unknownTool } from './rules.ts'

/** A judge for one session's world: rulings, with the rules that "always" may write where the verdict is to ask. */
export function createJudge(world: World): Judge {
  return (call) => {
    const ruling = judge(call, world)
    return { ...ruling, suggestions: ruling.verdict === 'ask' ? suggestRules(call, world) : [] }
  }
}
