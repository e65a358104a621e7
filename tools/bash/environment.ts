/** The environment a command is given: the person's own, without what would change how bash and git behave. */
import { delimiter, dirname, join } from 'node:path'

/** Carries the call's id into everything that a command starts, so that all of it can be found and ended. */
export const callMark = 'AGENT_CALL_ID'

/**
 * A copy of `own` for a command in `cwd`. Dropped: startup files, preloads, options and exported functions that run
 * code before the command does; git's and other programs' pointers to programs; keys of model providers; what npm
 * added when it started this program. Set: editors that fail and pagers that print, so that nothing waits for a person.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  cwd: string,
  callId: string,
): Record<string, string> {
  const startedByNpm = own.npm_lifecycle_event !== undefined
  const inherited: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || isDropped(name, startedByNpm)) continue
    inherited[name] = value
  }
  if (own.PATH !== undefined) inherited.PATH = searchPath(own.PATH, startedByNpm ? own.npm_package_json : undefined)
  return { ...inherited, ...settings, PWD: cwd, [callMark]: callId }
}

/** For programs that would otherwise wait at a terminal which is not there. */
const settings = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  MANPAGER: 'cat',
  EDITOR: 'false',
  VISUAL: 'false',
  // ssh would open a window for a passphrase that no terminal can give.
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  // `true` would make an interactive rebase go through as if somebody had agreed to it.
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // A repository must not run programs on `git status`, nor may a folder that only looks like one be taken for one.
  // Hooks stay on: `git commit` is meant to run them.
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
}

function isDropped(name: string, startedByNpm: boolean): boolean {
  if (kept.has(name)) return false
  if (startedByNpm && /^npm_/i.test(name)) return true
  return dropped.has(name) || droppedKinds.some((kind) => kind.test(name))
}

/** Exceptions from the kinds below: who commits, and how Python prints. */
const kept = new Set(
  (
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL ' +
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONNOUSERSITE'
  ).split(' '),
)

const dropped = new Set(
  // What bash obeys before or between commands.
  (
    'BASH_ENV ENV PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 SHELLOPTS BASHOPTS POSIXLY_CORRECT BASH_XTRACEFD BASH_COMPAT ' +
    'BASH_LOADABLES_PATH CDPATH GLOBIGNORE EXECIGNORE TMOUT OLDPWD _ ' +
    // What other programs load or run.
    'NODE_OPTIONS NODE_COMPILE_CACHE NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID ' +
    'PERL5OPT PERL5DB RUBYOPT LESSOPEN LESSCLOSE MANPAGER PAGER EDITOR VISUAL BROWSER SSH_ASKPASS SUDO_ASKPASS ' +
    // Colours that somebody forced for a terminal.
    'FORCE_COLOR CLICOLOR_FORCE COLORTERM INIT_CWD'
  ).split(' '),
)

const droppedKinds = [
  /^(LD|DYLD|GIT|SLUICE|BASH_FUNC)_/,
  /^PYTHON/,
  /(^|_)API_?KEY$/i,
  /^(OPENAI|ANTHROPIC|AZURE_OPENAI|GEMINI|MISTRAL|GROQ|DEEPSEEK|OPENROUTER|XAI|TOGETHER|FIREWORKS|COHERE|CEREBRAS|PERPLEXITY|REPLICATE|HF|HUGGINGFACE|HUGGING_FACE_HUB|OLLAMA|AWS_BEARER)_(\w*_)?(KEY|TOKEN|SECRET|BEDROCK)$/,
]

/**
 * Without empty entries, which stand for the current folder and so for whatever a project put there. `npm start` puts
 * `node_modules/.bin` of our own package and its parents in front; a project must not find our tools under its names.
 */
function searchPath(path: string, packageJson: string | undefined): string {
  const added = new Set<string>()
  for (let dir = packageJson && dirname(packageJson); dir; dir = dirname(dir)) {
    added.add(join(dir, 'node_modules', '.bin'))
    if (dir === dirname(dir)) break
  }
  const entries = path.split(delimiter).filter((entry) => {
    const ofNpm = packageJson !== undefined && (added.has(entry) || entry.endsWith('run-script/lib/node-gyp-bin'))
    return entry !== '' && entry !== '.' && !ofNpm
  })
  return entries.join(delimiter)
}
