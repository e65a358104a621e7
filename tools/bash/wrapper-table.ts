/** The programs that run another program given in their arguments, and how many of those arguments are their own. */

/**
 * Where the other program's words begin.
 * `valued`: letters of options whose value is the next word; `valuedLong`: the same for long options;
 * `operands`: words before the program (a duration, a mask); `assignments`: NAME=VALUE words come first;
 * `until`: a word that ends the program's words; `open`: the wrapper adds words of its own.
 */
export type WrapperShape = {
  valued?: string
  valuedLong?: string[]
  operands?: number
  assignments?: true
  until?: RegExp
  open?: true
}

export const wrappers: Record<string, WrapperShape> = {
  builtin: {},
  exec: { valued: 'a' },
  nohup: {},
  nice: { valued: 'n', valuedLong: ['adjustment'] },
  timeout: { valued: 'ks', valuedLong: ['kill-after', 'signal'], operands: 1 },
  stdbuf: { valued: 'ioe', valuedLong: ['input', 'output', 'error'] },
  setsid: {},
  time: { valued: 'fo', valuedLong: ['format', 'output'] },
  ionice: { valued: 'cnpPu', valuedLong: ['class', 'classdata'] },
  chrt: { valued: 'TPD', operands: 1 },
  taskset: { operands: 1 },
  numactl: { valued: 'CNmip' },
  prlimit: { valued: 'p' },
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  arch: { valued: 'e' },
  unshare: { valued: 'SGRw', valuedLong: ['setuid', 'setgid', 'root', 'wd'] },
  nsenter: { valued: 'tSG', valuedLong: ['target', 'setuid', 'setgid'] },
  setpriv: { valuedLong: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set', 'securebits'] },
  chroot: { valuedLong: ['userspec', 'groups'], operands: 1 },
  fakeroot: { valued: 'lsibuf' },
  eatmydata: {},
  faketime: { valued: 'fm', operands: 1 },
  flock: { valued: 'wEc', valuedLong: ['timeout', 'wait', 'conflict-exit-code'], operands: 1 },
  watch: { valued: 'nq', valuedLong: ['interval', 'equexit'] },
  strace: { valued: 'abeEIoOpPsSuUX' },
  ltrace: { valued: 'aADeFlnopsuwx' },
  valgrind: {},
  gdb: { valued: 'xpcds', valuedLong: ['command', 'eval-command'] },
  busybox: {},
  toybox: {},
  sudo: {
    valued: 'ACDghpRrtTUu',
    valuedLong: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'other-user', 'close-from'],
    assignments: true,
  },
  doas: { valued: 'Cu' },
  pkexec: { valuedLong: ['user'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  tini: { valued: 'pe' },
  'dumb-init': {},
  xargs: {
    valued: 'adEILnPsJRS',
    valuedLong: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
    open: true,
  },
  parallel: {
    valued: 'jPaINnLSsC',
    valuedLong: ['jobs', 'arg-file', 'max-args', 'delay', 'timeout', 'joblog', 'results', 'colsep', 'sshlogin'],
    until: /^:{3,4}\+?$/,
    open: true,
  },
  'systemd-run': { valued: 'pEuMHt', valuedLong: ['unit', 'property', 'setenv', 'description', 'slice', 'uid', 'gid'] },
  'systemd-inhibit': { valuedLong: ['what', 'who', 'why', 'mode'] },
  'dbus-run-session': {},
  'xvfb-run': { valued: 'nesfp' },
  caffeinate: { valued: 'tw' },
  unbuffer: {},
  rlwrap: { valued: 'abcCDefFghHijlmMnoOpPqrRsStvVwWzZ' },
  torsocks: {},
  proxychains: { valued: 'f' },
  proxychains4: { valued: 'f' },
  firejail: {},
  'ssh-agent': { valued: 'aEOPt' },
  entr: { open: true },
  npx: { valued: 'pwc', valuedLong: ['package', 'workspace', 'call', 'prefix'] },
  pnpx: {},
  bunx: {},
  uvx: { valued: 'p', valuedLong: ['from', 'with', 'python'] },
  'cross-env': { assignments: true },
  dotenv: { valued: 'efvc' },
  'start-stop-daemon': {},
}

/** Programs that are wrappers under one of their subcommands. */
export const runners: Record<string, WrapperShape> = {
  'npm exec': { valued: 'pwc', valuedLong: ['package', 'workspace', 'call', 'prefix'] },
  'npm x': { valued: 'pwc', valuedLong: ['package', 'workspace', 'call', 'prefix'] },
  'pnpm exec': {},
  'pnpm dlx': { valuedLong: ['package'] },
  'yarn exec': {},
  'yarn dlx': { valued: 'p', valuedLong: ['package'] },
  'bun x': {},
  'uv run': { valued: 'pm', valuedLong: ['with', 'python', 'project', 'directory', 'env-file', 'extra', 'group'] },
  'poetry run': {},
  'pipenv run': {},
  'pdm run': {},
  'hatch run': {},
  'rye run': {},
  'conda run': { valued: 'np', valuedLong: ['name', 'prefix', 'cwd'] },
  'bundle exec': {},
  'mise exec': {},
  'mise x': {},
  'asdf exec': {},
  'rbenv exec': {},
  'pyenv exec': {},
  'nodenv exec': {},
  'direnv exec': { operands: 1 },
  'nix develop': { valued: 'c', valuedLong: ['command'] },
  'ip netns': { operands: 2 },
  'ip vrf': { operands: 2 },
  'perf stat': { valued: 'eorpt' },
  'perf record': { valued: 'eorpt' },
}
