/** Names that the gate guards, as far as they must be known where words are only half known; the judge has the last word. */

/** True when the judge could have something against this path: a wide net, so that what is innocent is not written down. */
export function mayBeGuarded(path: string): boolean {
  return path.split('/').some((name) => mayBeGuardedName(name))
}

function mayBeGuardedName(name: string): boolean {
  if (name.startsWith('.')) return name !== '.' && name !== '..'
  return (
    plainNames.has(name.toLowerCase()) ||
    /^(?:id_|hooks$)|\.(?:git|iml|code-workspace|env|pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i.test(name)
  )
}

/** As people write them; matching pays attention to case, as shells do. */
export const guardedNames: readonly string[] = (
  '.git .sluice .hg .svn .husky .githooks .lefthook .claude .cursor .codex .gemini .qwen .opencode .crush .goose .amp .aider ' +
  '.windsurf .continue .roo .cline .clinerules .kiro .augment .junie .copilot .agents .agent .factory .trae .openhands ' +
  '.kilocode .iflow .pi .vscode .vscode-server .idea .zed .fleet .devcontainer .nvim .circleci .buildkite .woodpecker ' +
  '.forgejo .gitea .ssh .gnupg .aws .password-store .cargo .bundle .yarn .mvn .direnv .mise .asdf ' +
  'AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md OPENCODE.md WARP.md ' +
  '.cursorrules .windsurfrules .roorules .goosehints .junierules copilot-instructions.md .aider.conf.yml opencode.json ' +
  'opencode.jsonc crush.json .crush.json .mcp.json mcp.json .gitmodules .gitconfig .git-credentials .bashrc .bash_profile ' +
  '.bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc ' +
  '.login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .envrc config.fish .shrc .vimrc .gvimrc ' +
  '.exrc .nvimrc .nvim.lua .emacs .tmux.conf .screenrc .gdbinit .lldbinit .psqlrc .sqliterc .irbrc .pryrc .pythonrc ' +
  '.Rprofile .curlrc .wgetrc .ripgreprc .netrc _netrc .lesskey .toprc .dircolors .editrc .ackrc .agignore .npmrc .yarnrc ' +
  '.yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pypirc pip.conf .condarc .gemrc .bunfig.toml bunfig.toml .mise.toml mise.toml ' +
  '.tool-versions sitecustomize.py usercustomize.py .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml ' +
  '.lefthook.yml .huskyrc .huskyrc.json .gitlab-ci.yml .travis.yml .drone.yml .drone.yaml azure-pipelines.yml ' +
  'bitbucket-pipelines.yml Jenkinsfile appveyor.yml .appveyor.yml .cirrus.yml .woodpecker.yml cloudbuild.yaml ' +
  'buildspec.yml .devcontainer.json authorized_keys .env .env.local kubeconfig credentials.tfrc.json'
).split(' ')

const plainNames = new Set(
  [...guardedNames.filter((name) => !name.startsWith('.')), 'keychains'].map((name) => name.toLowerCase()),
)

/** The first of the names that a half known name could turn out to be; a beginning that says nothing counts for none. */
export function guardedNameLike(fits: (name: string) => boolean, head: string): string | undefined {
  if (head === '') return undefined
  return guardedNames.find((name) => (name.startsWith('.') || head.length > 1) && fits(name))
}

/** What git keeps in its own folder, for searches that go through it. */
export const gitFiles =
  'config HEAD index hooks packed-refs description exclude info refs objects pre-commit post-commit post-checkout pre-push commit-msg'.split(
    ' ',
  )
