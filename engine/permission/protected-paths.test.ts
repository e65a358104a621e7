import { describe, expect, test } from 'vitest'
import { resolvePath } from './paths.ts'
import { type Guarded, protectedReason, secretReason } from './protected-paths.ts'

const place: Guarded = { cwd: '/home/ada/project', home: '/home/ada' }
const at = (path: string) =>
  path.startsWith('~/') ? resolvePath(place.home, path.slice(2)) : resolvePath(place.cwd, path)

describe('a change needs a yes of its own', () => {
  test.each([
    '.sluice/config.jsonc',
    '.sluice/config.local.jsonc',
    '.git',
    '.git/config',
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.Git/Config',
    '.g\u200cit/config',
    'sub/.git/config',
    'vendor/x.git/config',
    'vendor/x.git/hooks/post-checkout',
    'vendor/x/hooks/pre-commit',
    '.hg/hgrc',
    '.husky/pre-commit',
    '.mcp.json',
    '.MCP.json',
    '.cursor/mcp.json',
    'AGENTS.md',
    'agents.md',
    'packages/a/CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.claude/settings.json',
    '.claude/commands/x.md',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.cursorrules',
    '.github/copilot-instructions.md',
    '.github/instructions/x.instructions.md',
    '.github/workflows/ci.yml',
    '.github/actions/x/action.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    '.vscode/settings.json',
    '.vscode/tasks.json',
    'x.code-workspace',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.envrc',
    '.env',
    '.env.production',
    '.npmrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    'pip.conf',
    '.pre-commit-config.yaml',
    '.cargo/config.toml',
    '.venv/bin/python',
    'node_modules/.bin/tsc',
    '.bashrc',
    '.gitmodules',
    '~/.bashrc',
    '~/.zshenv',
    '~/.profile',
    '~/.ssh/authorized_keys',
    '~/.aws/credentials',
    '~/.gitconfig',
    '~/.config/fish/config.fish',
    '~/.config/sluice/config.jsonc',
    '~/.local/state/sluice/sessions/x/audit.jsonl',
    '~/.local/bin/x',
    '~/bin/git',
    '~/.npmrc',
    '~/Library/LaunchAgents/x.plist',
    '~/.kube/config',
    '/etc/hosts',
    '/usr/local/bin/x',
    '/proc/self/mem',
    '/dev/sda',
    '/var/spool/cron/root',
  ])('%s', (path) => {
    expect(protectedReason(at(path), place)).toEqual(expect.any(String))
  })

  test.each([
    'src/index.ts',
    'README.md',
    'package.json',
    '.gitignore',
    '.gitattributes',
    '.github/ISSUE_TEMPLATE/bug.md',
    '.github/dependabot.yml',
    '.env.example',
    'src/environment.ts',
    'config/settings.json',
    'docs/agents/readme.md',
    'src/hooks/use-x.ts',
    'hooks/index.js',
    'git/config',
    'src/x.git.ts',
    'venv.txt',
    'node_modules/x/index.js',
    '~/notes/a.md',
    '/tmp/x',
    '/dev/null',
    '/opt/app/x',
  ])('but not %s', (path) => {
    expect(protectedReason(at(path), place)).toBeNull()
  })

  test("the workspace's own place is the person's choice", () => {
    const worktree = { cwd: '/home/ada/repo/.claude/worktrees/a', home: '/home/ada' }
    expect(protectedReason('/home/ada/repo/.claude/worktrees/a/src/x.ts', worktree)).toBeNull()
    expect(protectedReason('/home/ada/repo/.claude/settings.json', worktree)).not.toBeNull()
    const dotfiles = { cwd: '/home/ada/.config/nvim', home: '/home/ada' }
    expect(protectedReason('/home/ada/.config/nvim/init.lua', dotfiles)).toBeNull()
    expect(protectedReason('/home/ada/.config/git/config', dotfiles)).not.toBeNull()
    const system = { cwd: '/usr/src/app', home: '/root' }
    expect(protectedReason('/usr/src/app/index.js', system)).toBeNull()
    expect(protectedReason('/usr/bin/x', system)).not.toBeNull()
    const root = { cwd: '/', home: '/root' }
    expect(protectedReason('/etc/passwd', root)).not.toBeNull()
  })

  test("sluice's own folders are protected wherever they are, the workspace included", () => {
    const moved = { cwd: '/w', home: '/h', configFolder: '/w/cfg', stateFolder: '/w/state' }
    expect([
      protectedReason('/w/cfg/config.jsonc', moved),
      protectedReason('/w/state/a', moved),
      protectedReason('/w/cfgs', moved),
    ]).toEqual(['sluice obeys it', 'sluice obeys it', null])
    expect(secretReason('/w/state/sessions/x/transcript.jsonl', moved)).not.toBeNull()
  })
})

describe('reading asks', () => {
  test.each([
    '.env',
    '.env.local',
    'a/.ENV',
    'prod.env',
    '.envrc',
    '~/.ssh/id_ed25519',
    '~/.ssh/config',
    'deploy/id_rsa',
    '~/.aws/credentials',
    '~/.gnupg/x',
    '~/.netrc',
    '~/.npmrc',
    '~/.docker/config.json',
    '~/.config/gh/hosts.yml',
    '~/.git-credentials',
    '~/.bash_history',
    '~/Library/Application Support/Google/Chrome/Default/Cookies',
    'certs/server.key',
    'a.pem',
    '/etc/shadow',
    '/proc/self/environ',
    '/proc/1/root/etc/shadow',
    '/dev/fd/3',
  ])('%s', (path) => {
    expect(secretReason(at(path), place)).toEqual(expect.any(String))
  })

  test.each([
    'src/a.ts',
    '.env.example',
    '.env.sample',
    'AGENTS.md',
    '.git/config',
    '.vscode/settings.json',
    'id_rsa.pub',
    'keys.md',
    '~/.docker/x',
    'src/ssh/a',
    '/etc/hosts',
  ])('but not %s', (path) => {
    expect(secretReason(at(path), place)).toBeNull()
  })
})
