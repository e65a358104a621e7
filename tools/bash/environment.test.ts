import { expect, test } from 'vitest'
import { commandEnvironment } from './environment.ts'

const added = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  MANPAGER: 'cat',
  EDITOR: 'false',
  VISUAL: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
  PWD: '/work',
  AGENT_CALL_ID: 'call',
}

test('what a person has set for their own programs is handed on', () => {
  const own = {
    HOME: '/home/ada',
    LANG: 'de_DE.UTF-8',
    PATH: '/opt/bin:/usr/bin',
    LDFLAGS: '-L/opt',
    GITHUB_TOKEN: 'for gh',
    DATABASE_URL: 'x',
    npm_config_registry: 'https://registry.example.org',
    PYTHONUNBUFFERED: '1',
    GIT_AUTHOR_NAME: 'Ada',
    OPENAI_BASE_URL: 'http://127.0.0.1',
    CI: 'true',
  }
  expect(commandEnvironment(own, '/work', 'call')).toEqual({ ...own, ...added })
})

test.each([
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'PS4',
  'SHELLOPTS',
  'BASHOPTS',
  'POSIXLY_CORRECT',
  'CDPATH',
  'BASH_FUNC_ls%%',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  'NODE_CHANNEL_FD',
  'PYTHONSTARTUP',
  'PYTHONPATH',
  'PERL5OPT',
  'RUBYOPT',
  'GIT_DIR',
  'GIT_SSH_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'GIT_CONFIG_PARAMETERS',
  'LESSOPEN',
  'SSH_ASKPASS',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'AZURE_OPENAI_KEY',
  'GEMINI_API_KEY',
  'SOME_OTHER_APIKEY',
  'HF_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'SLUICE_HOME',
  'SLUICE_MODEL',
  'INIT_CWD',
  'FORCE_COLOR',
])('%s is not', (name) => {
  expect(commandEnvironment({ [name]: 'x' }, '/work', 'call')).toEqual(added)
})

test('of PATH only entries that mean the current folder are dropped', () => {
  const { PATH } = commandEnvironment({ PATH: ':/usr/bin::.:./bin:/bin:' }, '/work', 'call')
  expect(PATH).toBe('/usr/bin:./bin:/bin')
})

test('what npm added when it started this program is taken out again', () => {
  const own = {
    npm_lifecycle_event: 'start',
    npm_package_json: '/src/sluice/package.json',
    npm_config_user_agent: 'npm',
    PATH: '/src/sluice/node_modules/.bin:/src/node_modules/.bin:/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/home/ada/node_modules/.bin:/usr/bin',
  }
  expect(commandEnvironment(own, '/work', 'call')).toEqual({ ...added, PATH: '/home/ada/node_modules/.bin:/usr/bin' })
})
