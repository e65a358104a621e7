import { describe, expect, it } from 'vitest'
import type { StoredRule } from '../ports/index.ts'
import type { PermissionMode, PermissionNeed } from '../protocol/index.ts'
import { createJudge, parseRule } from './index.ts'

const judge = createJudge({ cwd: '/home/ada/shop', home: '/home/ada', trusted: true })
const rule = (text: string, verdict: StoredRule['verdict'] = 'allow'): StoredRule => ({ text, verdict, scope: 'user' })

/** The verdict on a sandboxed command that wants to reach `host`. */
function reach(host: string, rules: StoredRule[] = [], mode: PermissionMode = 'default') {
  const need: PermissionNeed = { type: 'network', host, url: `${host}:443` }
  return judge({ tool: 'bash', kind: 'network', needs: [need], mode, rules })
}

describe('a host that sandboxed commands may reach', () => {
  it('is asked for without a rule, with the rule that would cover it', () => {
    const ruling = reach('registry.npmjs.org')
    expect(ruling).toMatchObject({ verdict: 'ask', reason: 'no rule covers bash(domain:registry.npmjs.org)' })
    expect(ruling.suggestions).toEqual([
      { text: 'bash(domain:registry.npmjs.org)', label: 'sandboxed commands may reach registry.npmjs.org' },
    ])
  })

  it.each<[string, StoredRule[], string]>([
    ['allow', [rule('bash(domain:registry.npmjs.org)')], 'registry.npmjs.org'],
    ['allow', [rule('bash(domain:Registry.NPMjs.org.)')], 'registry.npmjs.org'],
    ['ask', [rule('bash(domain:npmjs.org)')], 'registry.npmjs.org'],
    ['ask', [rule('bash(domain:registry.npmjs.org)')], 'registry.npmjs.org.evil.example'],
    ['ask', [rule('bash(domain:registry.npmjs.org)')], 'evil-registry.npmjs.org'],
    // Neither a rule for commands nor one for fetching pages says that commands may connect.
    ['ask', [rule('bash(*)'), rule('bash'), rule('bash(curl *)')], 'registry.npmjs.org'],
    ['ask', [rule('web_fetch(domain:registry.npmjs.org)'), rule('web_fetch')], 'registry.npmjs.org'],
    ['deny', [rule('bash(domain:a.example)'), rule('bash(domain:a.example)', 'deny')], 'a.example'],
    ['deny', [rule('bash(domain:a.example)'), rule('web_fetch(domain:a.example)', 'deny')], 'a.example'],
    ['ask', [rule('bash(domain:a.example)'), rule('bash(domain:a.example)', 'ask')], 'a.example'],
  ])('%s: %j for %s', (verdict, rules, host) => {
    expect(reach(host, rules).verdict).toBe(verdict)
  })

  it('is allowed by yolo, as everything that no rule holds back', () => {
    expect(reach('a.example', [], 'yolo').verdict).toBe('allow')
    expect(reach('a.example', [rule('bash(domain:a.example)', 'deny')], 'yolo').verdict).toBe('deny')
  })

  it.each(['bash(domain:*.example)', 'bash(domain:https://a.example)', 'bash(domain:)', 'bash(domain:a.example *)'])(
    'is not written %s',
    (text) => expect(parseRule(text)).toMatchObject({ ok: false, tool: 'bash' }),
  )

  it('says nothing about commands: yolo runs them as if it were not there', () => {
    const command = (rules: StoredRule[]) =>
      judge({
        tool: 'bash',
        kind: 'execute',
        needs: [{ type: 'command', argv: null, plain: false, hazards: [], writes: [], text: 'echo $X' }],
        mode: 'yolo',
        rules,
      }).verdict
    expect(command([rule('bash(domain:a.example)', 'deny')])).toBe('allow')
    expect(command([rule('bash(rm *)', 'deny')])).toBe('ask')
  })
})
