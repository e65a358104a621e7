/** The worst that a call would do, with the reason, from the facts that its tool states. */
import type { PermissionNeed, Risk, RiskLevel, ToolKind } from '../protocol/index.ts'
import { isInside, type Place, placePath } from './paths.ts'
import { programName, programNature, wrappedStart } from './programs.ts'
import { looseWordsOf, quoteWord } from './shell-words.ts'

/** Risk levels from the lightest to the heaviest. */
export const riskOrder: readonly RiskLevel[] = [
  'read',
  'write-inside',
  'write-outside',
  'delete',
  'network',
  'publish',
  'privilege',
]

/** The heavier of two; the first when they weigh the same. */
export function heavierRisk(one: Risk, other: Risk): Risk {
  return riskOrder.indexOf(other.level) > riskOrder.indexOf(one.level) ? other : one
}

/** The heaviest risk over all needs of a call; a call without needs is judged by its kind. */
export function riskOf(needs: readonly PermissionNeed[], kind: ToolKind, place: Place): Risk {
  const risks = needs.map((need) => riskOfNeed(need, kind, place))
  return risks.reduce<Risk | null>((worst, risk) => (worst ? heavierRisk(worst, risk) : risk), null) ?? riskOfKind(kind)
}

export function riskOfNeed(need: PermissionNeed, kind: ToolKind, place: Place): Risk {
  switch (need.type) {
    case 'path':
      if (need.access === 'read') return { level: 'read', reason: `reads ${need.shown}` }
      if (need.access === 'delete') return { level: 'delete', reason: `deletes ${need.shown}` }
      return need.inside
        ? { level: 'write-inside', reason: `changes ${need.shown}` }
        : { level: 'write-outside', reason: `changes ${need.shown}, which is outside the workspace` }
    case 'network':
      return { level: 'network', reason: `connects to ${need.host}` }
    case 'mcp':
      return kind === 'read'
        ? { level: 'read', reason: `reads through the MCP server ${need.server}` }
        : { level: 'network', reason: `the MCP server ${need.server} does this, outside of what can be checked here` }
    case 'command':
      return riskOfCommand(need, place)
  }
}

function riskOfKind(kind: ToolKind): Risk {
  if (kind === 'execute') return { level: 'write-inside', reason: 'runs a command' }
  if (kind === 'edit') return { level: 'write-inside', reason: 'changes files' }
  if (kind === 'network') return { level: 'network', reason: 'connects to the network' }
  return { level: 'read', reason: kind === 'ask' ? 'asks you a question' : 'changes nothing' }
}

function riskOfCommand(need: Extract<PermissionNeed, { type: 'command' }>, place: Place): Risk {
  const words = need.argv ?? looseWordsOf(need).map((word) => word ?? unknownWord)
  let risk = riskOfWords(words, need.argv !== null, place)
  for (const target of need.writes) {
    const path = placePath(target, place)
    if (path === '/dev/null') continue
    const inside = path !== null && isInside(place.cwd, path)
    risk = heavierRisk(
      risk,
      inside
        ? { level: 'write-inside', reason: `writes ${target}` }
        : { level: 'write-outside', reason: `writes ${target}, which is outside the workspace` },
    )
  }
  const changing = risk.level !== 'read'
  const led = changing ? need.leads?.find(({ path }) => !isInside(place.cwd, path)) : undefined
  if (led !== undefined) {
    risk = heavierRisk(risk, {
      level: 'write-outside',
      reason: `${led.word} leads to ${led.path}, outside the workspace`,
    })
  }
  const writes = need.hazards.find((hazard) => /\bwrites\b/.test(hazard))
  if (writes !== undefined) risk = heavierRisk(risk, { level: 'write-inside', reason: writes })
  const deletes = need.hazards.find((hazard) => /\bdeletes?\b|throws work away/.test(hazard))
  if (deletes !== undefined) risk = heavierRisk(risk, { level: 'delete', reason: deletes })
  return risk
}

/** Stands for a word that only the shell will know; no program has this name. */
const unknownWord = '\0'

const deepestWrapper = 32

function riskOfWords(words: readonly string[], literal: boolean, place: Place, depth = 0): Risk {
  const program = words[0]
  if (program === undefined) return { level: 'write-inside', reason: 'what it runs cannot be told beforehand' }
  if (program === unknownWord) return { level: 'write-inside', reason: 'which program runs is known only to the shell' }
  const name = programName(program)
  const deed = deedOf(name, words)
  for (const level of ['privilege', 'publish', 'network', 'delete'] as const) {
    const reason = tables[level].get(deed) ?? tables[level].get(name)
    if (reason !== undefined) return { level, reason: `${shownDeed(deed, name, level)} ${reason}` }
  }
  if (name === 'chmod' && words.some((word) => /^(?:[ugoa]*\+[a-z]*s|[2467]\d{3})/.test(word))) {
    return { level: 'privilege', reason: 'chmod gives a program the rights of its owner' }
  }
  const start = depth < deepestWrapper && programNature(program) === 'wrapper' ? wrappedStart(words) : null
  if (start !== null) return riskOfWords(words.slice(start), literal, place, depth + 1)
  if (printing.has(name)) return { level: 'read', reason: `${name} changes no files` }
  if (literal && readsOnly(name, words)) return { level: 'read', reason: `${name} only reads` }
  const outside = changers.has(name) ? words.slice(1).find((word) => leavesPlace(word, place)) : undefined
  if (outside !== undefined) {
    return {
      level: 'write-outside',
      reason: `${name} may change ${quoteWord(outside)}, which is outside the workspace`,
    }
  }
  return { level: 'write-inside', reason: `${name} may change files` }
}

/** Program and subcommand: `git push`, `docker compose`. Options in between are left out. */
function deedOf(name: string, words: readonly string[]): string {
  if (!deedPrograms.has(name)) return name
  const valued =
    name === 'git' ? /^(?:-C|-c|--git-dir|--work-tree|--namespace)$/ : /^(?:-C|--prefix|--cwd|--context|-H|-n)$/
  const parts = [name]
  for (let i = 1; i < words.length && parts.length < 3; i++) {
    const word = words[i] as string
    if (valued.test(word)) i++
    else if (!word.startsWith('-')) parts.push(word)
  }
  const three = parts.join(' ')
  const two = parts.slice(0, 2).join(' ')
  return knownDeeds.has(three) ? three : two
}

function shownDeed(deed: string, name: string, level: keyof typeof tables): string {
  return tables[level].has(deed) ? deed : name
}

function leavesPlace(word: string, place: Place): boolean {
  if (word.startsWith('-') || !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word)) return false
  const path = placePath(word, place)
  return path === null || !isInside(place.cwd, path)
}

function readsOnly(name: string, words: readonly string[]): boolean {
  if (name === 'git') return gitReads.has(deedOf(name, words).split(' ')[1] ?? '')
  return reading.has(name)
}

/** Whatever their words are. */
const printing = new Set(
  'echo printf sleep seq true false test [ : wait exit return pwd whoami basename dirname expr'.split(' '),
)

const reading = new Set(
  (
    'cat head tail wc ls pwd echo stat file grep egrep fgrep rg ag diff cmp sort uniq cut tree du df find fd jq nl od hexdump ' +
    'column comm join paste tac rev readlink realpath basename dirname true false which whoami id uname date env printenv ps ' +
    'sha1sum sha256sum sha512sum md5sum shasum cksum sleep seq printf test [ : wait exit return expr type hash tty groups nproc ' +
    'uptime arch getconf locale cal factor b2sum sum strings less more zcat fold fmt pr tr expand unexpand'
  ).split(' '),
)
const gitReads = new Set(
  'status log diff show blame ls-files grep shortlog rev-parse rev-list describe cat-file'.split(' '),
)
const changers = new Set(
  'cp mv ln tee touch mkdir install rsync chmod chown chgrp tar unzip zip cpio patch sed sort tree split csplit'.split(
    ' ',
  ),
)

const network = 'connects to the network'
const fetches = 'fetches from the network and may run what it fetches'

const tables = {
  privilege: table({
    'acts with the rights of another user': 'sudo doas su pkexec run0 runuser gosu su-exec',
    'changes the rights of users or files': 'chown chgrp setcap usermod useradd userdel adduser passwd visudo gpasswd',
    'changes what the system runs':
      'systemctl launchctl service crontab at update-rc.d insmod modprobe rmmod mount umount losetup nsenter unshare chroot ' +
      'iptables nft ufw sysctl reboot shutdown poweroff halt init telinit mkfs fdisk parted swapon hostnamectl timedatectl',
    'installs software for the whole machine':
      'apt apt-get dpkg dnf yum rpm zypper pacman apk snap port emerge flatpak installer softwareupdate',
  }),
  publish: table({
    'publishes to other people':
      'npm+publish npm+unpublish npm+deprecate npm+dist-tag pnpm+publish yarn+publish yarn+npm bun+publish lerna+publish ' +
      'cargo+publish cargo+yank gem+push gem+yank poetry+publish uv+publish twine flit+publish hatch+publish pdm+publish ' +
      'mvn+deploy gradle+publish docker+push podman+push helm+push dotnet+nuget+push vsce+publish ovsx+publish mix+hex.publish',
    'sends commits to another machine':
      'git+push git+send-pack git+http-push git+send-email svn+commit hg+push jj+git+push',
    'acts under your name on another service':
      'gh+pr+create gh+pr+merge gh+pr+comment gh+pr+review gh+pr+close gh+pr+edit gh+issue+create gh+issue+comment ' +
      'gh+issue+close gh+issue+edit gh+release gh+gist gh+workflow+run gh+repo+create gh+repo+delete gh+repo+edit gh+secret ' +
      'gh+variable gh+api glab mail sendmail mutt',
    'changes running services':
      'kubectl+apply kubectl+delete kubectl+create kubectl+patch kubectl+replace kubectl+scale kubectl+rollout helm+install ' +
      'helm+upgrade helm+uninstall terraform+apply terraform+destroy tofu+apply tofu+destroy pulumi+up pulumi+destroy ' +
      'vercel netlify+deploy fly+deploy heroku wrangler+deploy wrangler+publish firebase+deploy serverless+deploy cdk+deploy ' +
      'ansible-playbook aws gcloud az',
  }),
  network: table({
    [network]:
      'curl wget aria2c http https httpie xh nc ncat netcat socat telnet ftp sftp scp rsync ssh mosh dig nslookup host ping ' +
      'ping6 traceroute tracepath mtr whois nmap openssl lynx w3m links elinks irssi rclone s3cmd gsutil gh kubectl helm ' +
      'git+fetch git+pull git+clone git+ls-remote git+submodule git+archive docker+login terraform+init docker+pull podman+pull',
    [fetches]:
      'npm+install npm+i npm+ci npm+add npm+update npm+exec npm+x npm+audit npm+view npx pnpm+install pnpm+i pnpm+add ' +
      'pnpm+update pnpm+dlx yarn+install yarn+add yarn+dlx yarn+up bun+install bun+add bun+x bunx pip+install pip+download ' +
      'pip3+install pipx uv+add uv+sync uv+pip uvx poetry+install poetry+add poetry+update pdm+install pdm+add pipenv+install ' +
      'conda+install cargo+install cargo+add cargo+update cargo+fetch go+get go+install go+mod gem+install bundle+install ' +
      'bundle+update composer+install composer+require composer+update brew+install brew+upgrade docker+build dotnet+restore ' +
      'rustup+update mix+deps.get corepack nvm+install pre-commit+install deno+install',
  }),
  delete: table({
    'deletes files': 'rm rmdir unlink shred srm trash git+clean git+rm find+-delete',
    'overwrites what is there': 'dd truncate wipe mkswap',
    'throws work away or rewrites history':
      'git+reset git+restore git+filter-branch git+filter-repo git+reflog git+gc git+prune git+stash+drop git+stash+clear ' +
      'git+worktree+remove',
    'deletes containers, images or volumes':
      'docker+rm docker+rmi docker+system+prune docker+volume+rm docker+image+prune docker+container+prune docker+volume+prune ' +
      'podman+rm podman+rmi',
    'ends other programs': 'kill pkill killall',
    'deletes data': 'dropdb dropuser redis-cli+flushall redis-cli+flushdb',
  }),
} satisfies Partial<Record<RiskLevel, Map<string, string>>>

const knownDeeds = new Set(Object.values(tables).flatMap((one) => [...one.keys()]))
/** Programs of which it matters what they are told to do. */
const deedPrograms = new Set([
  'git',
  ...[...knownDeeds].filter((deed) => deed.includes(' ')).map((deed) => deed.split(' ')[0]),
])

function table(reasons: Record<string, string>): Map<string, string> {
  const map = new Map<string, string>()
  for (const [reason, names] of Object.entries(reasons)) {
    for (const name of names.split(' ')) map.set(name.replaceAll('+', ' '), reason)
  }
  return map
}
