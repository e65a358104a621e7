/** Files that only a person may have changed (they decide what runs or what we obey) and files whose reading gives secrets away. */
import { baseName, foldPath, isInside, type Place, relativePath, resolvePath } from './paths.ts'

/** `configFolder` and `stateFolder` are where sluice keeps its own files; without them the XDG defaults count. */
export type Guarded = Place & { configFolder?: string; stateFolder?: string }

/**
 * Why a write to the canonical `path` needs a person's yes whatever the rules and the mode say; null when it does not.
 * The sentence is a clause that fits after "because".
 */
export function protectedReason(path: string, place: Guarded): string | null {
  const folded = foldPath(path)
  const at = foldedPlace(place)
  if (at.own.some((folder) => isInside(folder, folded))) return 'sluice obeys it'
  const last = baseName(folded)
  if (isEnvironmentFile(last)) return 'environment files decide what programs are given'
  // Names above the workspace are the person's own choice: a worktree may well lie in `.claude/worktrees`.
  const below = relativePath(at.cwd, folded)
  const names = (below ?? folded).split('/').filter((name) => name !== '')
  for (let i = 0; i < names.length; i++) {
    const reason = folderReason(names, i)
    if (reason) return reason
  }
  const file = protectedFiles.get(last)
  if (file) return file
  for (const [ending, reason] of protectedEndings) if (last.endsWith(ending)) return reason
  return homeReason(folded, at) ?? systemReason(folded, at)
}

/** Why reading the canonical `path` asks, inside the workspace too; null when it is no known place of secrets. */
export function secretReason(path: string, place: Guarded): string | null {
  const folded = foldPath(path)
  const at = foldedPlace(place)
  const last = baseName(folded)
  if (isEnvironmentFile(last)) return 'environment files often hold secrets'
  if (secretFiles.has(last) || /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/.test(last)) return 'it holds credentials'
  if (secretEndings.some((ending) => last.endsWith(ending))) return 'it looks like a private key'
  if (folded.split('/').some((name) => secretFolders.has(name))) return 'its folder holds keys and credentials'
  if (at.own.some((folder) => isInside(folder, folded))) return "sluice's own folder holds transcripts and settings"
  const atHome = relativePath(at.home, folded)
  if (atHome !== null && secretHomeFolders.some((folder) => isInside(folder, atHome))) {
    return 'its folder holds keys and credentials'
  }
  if (secretSystemPaths.some((one) => isInside(one, folded)))
    return 'it shows secrets of the system or of running programs'
  return null
}

/**
 * Places that hold secrets on any machine, whether they exist or not, as absolute paths: for walls that are put up before
 * anybody reads. On systems that do not tell cases apart they are written in lower case.
 */
export function secretPlaces({ home, configFolder, stateFolder }: Guarded): string[] {
  const atHome = [...secretFolders, ...secretFiles, ...secretHomeFolders].map((name) => resolvePath(home, name))
  const ofSystem = secretSystemPaths.filter((path) => path.startsWith('/etc/'))
  return [...atHome, ...ofSystem, ...(configFolder ? [configFolder] : []), ...(stateFolder ? [stateFolder] : [])]
}

/** Names, in lower case, of the folders and files that `protectedReason` guards at any depth. */
export function protectedNames(): { folders: string[]; files: string[] } {
  return { folders: [...protectedFolders.keys()], files: [...protectedFiles.keys()] }
}

const instructions = 'agents take orders from it'
const gitRuns = 'git obeys and runs what is in it'
const editorRuns = 'editors obey it and run tasks from it'
const ciRuns = 'it decides what CI runs'
const hookRuns = 'it decides what runs by itself'
const shellRuns = 'shells run or obey it when they start'
const packageRuns = 'package managers obey it'
const credentials = 'it holds keys and credentials'
const toolObeys = 'programs obey it when they start'

/** Folders whose whole content is protected, at any depth, with the reason. */
const protectedFolders = new Map<string, string>([
  ['.sluice', 'sluice obeys it'],
  ...each('.git .hg .svn', gitRuns),
  ...each('.husky .githooks .lefthook', hookRuns),
  ...each(
    '.claude .cursor .codex .gemini .qwen .opencode .crush .goose .amp .aider .windsurf .continue .roo .cline .clinerules ' +
      '.kiro .augment .junie .copilot .agents .agent .factory .trae .openhands .kilocode .iflow .pi',
    instructions,
  ),
  ...each('.vscode .vscode-server .idea .zed .fleet .devcontainer .nvim', editorRuns),
  ...each('.circleci .buildkite .woodpecker .forgejo .gitea', ciRuns),
  ...each('.ssh .gnupg .aws .password-store', credentials),
  ...each('.cargo .bundle .yarn .mvn', packageRuns),
  ...each('.direnv .mise .asdf', shellRuns),
])

const protectedFiles = new Map<string, string>([
  ...each(
    'agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md opencode.md warp.md ' +
      '.cursorrules .windsurfrules .clinerules .roorules .goosehints .junierules copilot-instructions.md ' +
      '.aider.conf.yml opencode.json opencode.jsonc crush.json .crush.json',
    instructions,
  ),
  ...each('.mcp.json mcp.json', 'it starts MCP servers'),
  ...each('.gitmodules .gitconfig .git-credentials', gitRuns),
  ...each(
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout ' +
      '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment ' +
      '.envrc config.fish .shrc',
    shellRuns,
  ),
  ...each(
    '.vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .tmux.conf .screenrc .gdbinit .lldbinit .psqlrc .sqliterc .irbrc .pryrc ' +
      '.pythonrc .rprofile .curlrc .wgetrc .ripgreprc .netrc _netrc .lesskey .toprc .dircolors .editrc .ackrc .agignore',
    toolObeys,
  ),
  ...each(
    '.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pypirc pip.conf .condarc .gemrc .bunfig.toml bunfig.toml ' +
      '.mise.toml mise.toml .tool-versions sitecustomize.py usercustomize.py',
    packageRuns,
  ),
  ...each('.pre-commit-config.yaml .pre-commit-config.yml lefthook.yml .lefthook.yml .huskyrc .huskyrc.json', hookRuns),
  ...each(
    '.gitlab-ci.yml .travis.yml .drone.yml .drone.yaml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile appveyor.yml ' +
      '.appveyor.yml .cirrus.yml .woodpecker.yml cloudbuild.yaml buildspec.yml',
    ciRuns,
  ),
  ['.devcontainer.json', editorRuns],
  ['authorized_keys', credentials],
])

const protectedEndings: readonly (readonly [string, string])[] = [
  ['.code-workspace', editorRuns],
  ['.iml', editorRuns],
]

/** Below the home folder. */
const homeFolders = new Map<string, string>([
  ...each('.config', toolObeys),
  ...each('.azure .kube .docker', credentials),
  ...each('.local/bin bin .local/share/applications .config/autostart .config/systemd', hookRuns),
  ...each('library/launchagents library/launchdaemons library/preferences', hookRuns),
])

/** Below the root, unless the workspace itself is there. */
const systemFolders = new Map<string, string>([
  ...each('/etc /boot /bin /sbin /lib /lib64 /usr /system /library /private/etc', 'it belongs to the system'),
  ...each('/var/spool/cron /var/spool/at /private/var/at', hookRuns),
  ...each('/proc /sys', 'writing there changes the running system'),
  ...each('/dev', 'it is a device'),
])

const secretFiles = new Set(
  (
    '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .vault-token credentials.tfrc.json ' +
    '.htpasswd .dockercfg .s3cfg .boto .terraformrc .fetchmailrc .authinfo .authinfo.gpg kubeconfig .envrc'
  ).split(' '),
)

const secretEndings = ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk']

const secretFolders = new Set('.ssh .aws .gnupg .azure .kube .password-store keychains'.split(' '))

const secretHomeFolders = [
  ...(
    '.docker/config.json .config/gh .config/gcloud .config/git/credentials .config/op .cargo/credentials ' +
    '.cargo/credentials.toml .gem/credentials .terraform.d .mozilla .config/google-chrome .config/chromium .config/hub ' +
    '.local/share/keyrings library/cookies .bash_history .zsh_history .claude.json .codex/auth.json ' +
    '.gemini/oauth_creds.json .config/github-copilot'
  ).split(' '),
  'library/application support/google/chrome',
]

const secretSystemPaths = [
  '/proc',
  '/dev/fd',
  '/dev/mem',
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
]

function each(list: string, reason: string): [string, string][] {
  return list.split(' ').map((name) => [name, reason])
}

/** `.env`, `.env.local`, `.envrc`, `prod.env`, but not the examples that stand in for them. */
function isEnvironmentFile(name: string): boolean {
  if (!name.includes('.env') || !/^\.env(?:rc)?(?:$|[._-])|.\.env$/.test(name)) return false
  return !/[._-](?:example|sample|template|dist|defaults?)$/.test(name)
}

function folderReason(names: string[], at: number): string | null {
  const name = names[at] as string
  const reason = protectedFolders.get(name)
  if (reason) return reason
  const inside = at < names.length - 1
  if (inside && name.endsWith('.git')) return gitRuns
  const next = names[at + 1]
  if (name === '.github' && next !== undefined) {
    if (next === 'workflows' || next === 'actions') return ciRuns
    if (['instructions', 'prompts', 'chatmodes', 'agents', 'skills', 'hooks'].includes(next)) return instructions
  }
  if (next === 'bin' && (name === '.venv' || name === 'venv')) return 'its programs are run by name'
  if (name === 'node_modules' && next === '.bin') return 'its programs are run by name'
  // The hooks of a repository that is laid out bare; only git's own names for them count.
  if (name === 'hooks' && at === names.length - 2 && gitHooks.has(next ?? '')) return gitRuns
  return null
}

const gitHooks = new Set(
  (
    'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
    'pre-rebase post-checkout post-merge pre-push pre-receive update post-receive post-update push-to-checkout ' +
    'pre-auto-gc post-rewrite fsmonitor-watchman reference-transaction'
  ).split(' '),
)

type Folded = { cwd: string; home: string; own: string[] }

/** The same place is asked about for every word of every command. */
const foldedPlaces = new WeakMap<Guarded, Folded>()

function foldedPlace(place: Guarded): Folded {
  const known = foldedPlaces.get(place)
  if (known) return known
  const config = place.configFolder ?? resolvePath(place.home, '.config/sluice')
  const state = place.stateFolder ?? resolvePath(place.home, '.local/state/sluice')
  const folded = { cwd: foldPath(place.cwd), home: foldPath(place.home), own: [foldPath(config), foldPath(state)] }
  foldedPlaces.set(place, folded)
  return folded
}

function homeReason(folded: string, { home, cwd }: Folded): string | null {
  const relative = relativePath(home, folded)
  if (relative === null) return null
  for (const [folder, reason] of homeFolders) {
    if (!isInside(folder, relative)) continue
    // A workspace below one of these folders is a workspace like any other.
    const isWorkspace = isInside(resolvePath(home, folder), cwd) && isInside(cwd, folded)
    if (!isWorkspace) return reason
  }
  return null
}

function systemReason(folded: string, { cwd }: Folded): string | null {
  if (cwd !== '/' && isInside(cwd, folded)) return null
  if (folded === '/dev/null') return null
  for (const [folder, reason] of systemFolders) if (isInside(folder, folded)) return reason
  return null
}
