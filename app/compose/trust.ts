/** What a folder would configure, whether the person has trusted it, and what has to be asked about it. */
import { join, relative } from 'node:path'
import { outsideTarget, projectInstructionFiles } from '@sluice/engine/adapters/instructions'
import { createRulesFile, type RuleApprovals } from '@sluice/engine/adapters/rules-file'
import { systemDigest } from '@sluice/engine/adapters/system'
import { createTrustFile } from '@sluice/engine/adapters/trust-file'
import type { Paths } from '../paths.ts'
import { type ProjectConfig, readMcpServers, readPlainFile, readProjectConfig } from './project-config.ts'

/** One thing that a folder brings along. `runs`: it starts programs, and is approved by its content. */
export type TrustPart = {
  /** As it is known in the trust file: the file from the folder on, or `FILE: MCP server NAME`. */
  name: string
  /** What it is, for a person: `3 kB of instructions`. */
  what: string
  /** One line each, for those who look closer. */
  details: string[]
  /** sha256 in hex of the content. */
  sha256: string
  runs: boolean
  /** It is the local config file and allows something: that counts only for the content that the person approved. */
  allows: boolean
}

/**
 * `new`: the folder is not known. `changed`: it is trusted, and these parts run other programs than they did. `rules`: only
 * what its local config allows is not approved.
 */
export type TrustQuestion = { why: 'new' | 'changed' | 'rules'; folder: string; parts: TrustPart[] }

export type FolderTrust = {
  /** The person has trusted this very folder before. */
  known: boolean
  parts: TrustPart[]
  /** What to ask a person who is there; null when there is nothing to ask. */
  question: TrustQuestion | null
}

/** `cwd` is canonical: a folder is trusted under its real path only, whatever a `.git` file in it says. */
export function readFolderTrust(paths: Paths, cwd: string): FolderTrust {
  const parts = folderParts(cwd)
  const trusted = createTrustFile(paths.trustFile).folder(cwd)
  if (!trusted) {
    return { known: false, parts, question: parts.length === 0 ? null : { why: 'new', folder: cwd, parts } }
  }
  const runs = parts.filter((part) => part.runs && trusted.contents[part.name] !== part.sha256)
  const changed = [...unapproved(parts, ruleApprovals(paths, cwd)), ...runs]
  const why = runs.length === 0 ? 'rules' : 'changed'
  return { known: true, parts, question: changed.length === 0 ? null : { why, folder: cwd, parts: changed } }
}

/** Parts that allow something which the person has not approved as it is now. */
export function unapproved(parts: readonly TrustPart[], approvals: RuleApprovals): TrustPart[] {
  return parts.filter((part) => part.allows && !approvals.approved(part.sha256))
}

/** Which contents of the folder's local config the person approved: said yes to, or had sluice write. */
export function ruleApprovals(paths: Paths, cwd: string): RuleApprovals {
  const ofThisRun = new Set<string>()
  const file = createTrustFile(paths.trustFile)
  return {
    approved: (sha256) =>
      ofThisRun.has(sha256) ||
      file.approvedRules(cwd) === sha256 ||
      file.folder(cwd)?.contents[localConfigFile] === sha256,
    async approve(sha256) {
      ofThisRun.add(sha256)
      await file.approveRules(cwd, sha256)
    },
  }
}

/** Writes down that the person trusts the folder, with what they were shown of it. */
export async function storeTrust(paths: Paths, cwd: string, shown: readonly TrustPart[]): Promise<void> {
  const file = createTrustFile(paths.trustFile)
  const before = file.folder(cwd)?.contents ?? {}
  const contents = { ...before, ...Object.fromEntries(shown.map((part) => [part.name, part.sha256])) }
  await file.trust(cwd, { since: new Date().toISOString(), contents })
}

const localConfigFile = '.sluice/config.local.jsonc'
export const projectConfigFiles = ['.sluice/config.jsonc', localConfigFile] as const

/** Config files of a folder that exist, with what they hold. */
export function readProjectConfigs(cwd: string): { name: string; config: ProjectConfig }[] {
  return projectConfigFiles.flatMap((name) => {
    const config = readProjectConfig(join(cwd, name))
    return config === null ? [] : [{ name, config }]
  })
}

function folderParts(cwd: string): TrustPart[] {
  const parts: TrustPart[] = []
  for (const path of projectInstructionFiles(cwd)) {
    const bytes = readPlainFile(path)
    if (bytes === null) continue
    const outside = outsideTarget(path, cwd)
    parts.push({
      name: relative(cwd, path),
      what: outside ? 'a link out of the project, which is not loaded' : `${sizeOf(bytes.length)} of instructions`,
      details: [outside ? `${path} → ${outside}` : path],
      sha256: systemDigest.sha256(bytes),
      runs: false,
      allows: false,
    })
  }
  for (const { name, config } of readProjectConfigs(cwd)) {
    const bytes = readPlainFile(join(cwd, name))
    if (bytes === null) continue
    const rules = rulesOf(cwd, name)
    parts.push({
      name,
      what: describeConfig(config, rules),
      details: [
        ...rules.map((rule) => `${rule.verdict} ${rule.text}`),
        ...(config.permissionMode === undefined ? [] : [`permissionMode ${config.permissionMode}`]),
        ...config.ignored.map((key) => `"${key}" is ignored: a folder's config can only narrow`),
      ],
      sha256: systemDigest.sha256(bytes),
      runs: false,
      allows: rules.some((rule) => rule.verdict === 'allow'),
    })
  }
  return [...parts, ...programParts(cwd)]
}

/** This version starts none of them; they are named, and remembered by content, so that none can slip in later. */
function programParts(cwd: string): TrustPart[] {
  const programs = [
    ...readProjectConfigs(cwd).flatMap(({ name, config }) =>
      config.programs.map((program) => ({ file: name, program })),
    ),
    ...readMcpServers(join(cwd, '.mcp.json')).map((program) => ({ file: '.mcp.json', program })),
  ]
  return programs.map(({ file, program }) => ({
    name: `${file}: ${program.name}`,
    what: 'a program to start (this version starts none)',
    details: [program.what],
    sha256: systemDigest.sha256(JSON.stringify(program.definition ?? null)),
    runs: true,
    allows: false,
  }))
}

function rulesOf(cwd: string, name: string): { verdict: string; text: string }[] {
  const nowhere = join(cwd, '.sluice', 'no-such-file')
  const isLocal = name.endsWith('.local.jsonc')
  return createRulesFile({
    userFile: nowhere,
    projectFile: isLocal ? nowhere : join(cwd, name),
    localFile: isLocal ? join(cwd, name) : nowhere,
    trusted: true,
    // What is asked about is shown whole.
    approvals: { approved: () => true, approve: async () => undefined },
    cli: { allow: [], deny: [] },
  })
    .rules()
    .map(({ verdict, text }) => ({ verdict, text }))
}

function describeConfig(config: ProjectConfig, rules: readonly { verdict: string }[]): string {
  const counts = ['allow', 'ask', 'deny']
    .map((verdict) => ({ verdict, count: rules.filter((rule) => rule.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdict}`)
  const parts = [
    counts.length === 0 ? 'no rules' : `rules: ${counts.join(', ')}`,
    ...(config.permissionMode === undefined ? [] : [`${config.permissionMode} mode`]),
    ...(config.ignored.length === 0 ? [] : [`${config.ignored.length} ignored`]),
  ]
  return parts.join('; ')
}

function sizeOf(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`
}
