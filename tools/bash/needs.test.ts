// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell code
import { describe, expect, test } from 'vitest'
import { type CommandNeed, commandNeeds } from './needs.ts'

/** The essence of each need: `argv` (or the text where it is not known), `!` for plain, `>` for written files. */
async function brief(line: string): Promise<string[]> {
  return (await commandNeeds(line, '/work')).map(inBrief)
}

function inBrief({ argv, plain, writes, text }: CommandNeed): string {
  const words =
    argv === null
      ? `? ${text}`
      : argv.map((word) => (/[\s'"]/.test(word) || word === '' ? JSON.stringify(word) : word)).join(' ')
  return `${plain ? '! ' : ''}${words}${writes.map((path) => ` > ${path}`).join('')}`
}

describe('plain lines', () => {
  test.each<[string, string[]]>([
    ['npm test', ['! npm test']],
    ['  ls   -l  ', ['! ls -l']],
    ['git status && git diff', ['! git status', '! git diff']],
    ['ls | wc -l', ['! ls', '! wc -l']],
    ['ls; pwd', ['! ls', '! pwd']],
    ['ls || true', ['! ls', '! true']],
    ['ls\npwd', ['! ls', '! pwd']],
    ['ls # rm x', ['! ls']],
    ["echo 'it'\\''s; rm x'", [`! echo ${JSON.stringify("it's; rm x")}`]],
    ['echo "a b" c\\ d', ['! echo "a b" "c d"']],
    ['echo "a\\$b" ""', ['! echo a$b ""']],
    ['git commit -m "line1\nline2"', [`! git commit -m ${JSON.stringify('line1\nline2')}`]],
    ['\\ls', ['! ls']],
    ["r''m x", ['! rm x']],
    ['ls \\\n  -l', ['! ls -l']],
    ["grep -r '$HOME' 'a*b' \"~\"", ['! grep -r $HOME a*b ~']],
    ['echo 測試 🚀 👩‍👩‍👧 1️⃣', ['! echo 測試 🚀 👩‍👩‍👧 1️⃣']],
    ['echo {} [ ]', ['! echo {} [ ]']],
    ['git log HEAD~2', ['! git log HEAD~2']],
    ['ls 2>/dev/null', ['! ls']],
    ['ls >/dev/null 2>&1 </dev/null', ['! ls']],
    ['ls &>/dev/null | wc', ['! ls', '! wc']],
    ['echo oops >&2', ['! echo oops']],
  ])('%j', async (line, needs) => {
    expect(await brief(line)).toEqual(needs)
  })

  test('one need has all its facts', async () => {
    expect(await commandNeeds('cd src && npm test')).toEqual([
      { type: 'command', argv: ['cd', 'src'], plain: true, hazards: [], writes: [], text: 'cd src' },
      { type: 'command', argv: ['npm', 'test'], plain: true, hazards: [], writes: [], text: 'npm test' },
    ])
  })
})

describe('lines that are not plain', () => {
  test.each<[string, string[]]>([
    // words that the shell makes something of
    ['ls $HOME', ['? ls $HOME']],
    ['ls "$HOME"', ['? ls "$HOME"']],
    ['ls *', ['? ls *']],
    ['ls a?', ['? ls a?']],
    ['ls [ab]', ['? ls [ab]']],
    ['ls {a,b}', ['? ls {a,b}']],
    ['ls ~', ['? ls ~']],
    ['ls a~b=~/x', ['? ls a~b=~/x']],
    ['~/bin/ls', ['? ~/bin/ls']],
    ['$x -rf y', ['? $x -rf y']],
    ['{rm,-rf,x}', ['? {rm,-rf,x}']],
    ["cat $'\\x2fetc'", ['cat /etc']],
    ["$'rm' -rf $x", ["? $'rm' -rf $x", 'rm -rf']],
    ['$"rm" -rf x', ['rm -rf x']],
    // a line end within a word: `12>&1` here, to bash
    ['r\\\nm x', ['rm x']],
    ['1\\\n2>&1 ls', ['12 ls']],
    // assignments
    ['FOO=bar ls', ['ls']],
    ['PATH=.; ls', ['? PATH=.', 'ls']],
    ['export A=1; ls', ['export A=1', 'ls']],
    ['declare -a a=(1 2)', ['? declare -a a=(1 2)']],
    // structure
    ['ls & rm x', ['ls', 'rm x']],
    ['(ls; rm x)', ['ls', 'rm x']],
    ['{ ls; rm x; }', ['ls', 'rm x']],
    ['! rm x', ['rm x']],
    ['time -p rm x', ['rm x']],
    ['coproc rm x', ['rm x']],
    ['ls |& cat', ['ls', 'cat']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for i in 1 2; do rm x; done', ['rm x']],
    ['for ((i=0; i<3; i++)); do rm x; done', ['rm x']],
    ['while a; do b; done', ['a', 'b']],
    ['select a in b; do rm x; done', ['rm x']],
    ['case a in a) rm x;; esac', ['rm x']],
    ['ls() { rm x; }; ls', ['rm x', 'ls']],
    ["[[ 'a[$(x)]' -eq 1 ]]", ["? [[ 'a[$(x)]' -eq 1 ]]"]],
    ['((a = 1))', ['? ((a = 1))']],
    // substitutions, wherever they hide
    ['ls $(rm x)', ['? ls $(rm x)', 'rm x']],
    ['ls "`rm x`"', ['? ls "`rm x`"', 'rm x']],
    ['echo `echo \\`rm x\\``', ['? echo `echo \\`rm x\\``', '? echo `rm x`', 'rm x']],
    ['a=$(rm x)', ['? a=$(rm x)', 'rm x']],
    ['ls <(rm x)', ['? ls <(rm x)', 'rm x']],
    ['ls > >(rm x)', ['ls > >(rm x)', 'rm x']],
    ['echo "${x:=`rm x`}"', ['? echo "${x:=`rm x`}"', 'rm x']],
    ['echo ${x:$(rm x)}', ['? echo ${x:$(rm x)}', 'rm x']],
    ['echo $((`rm x`+1))', ['? echo $((`rm x`+1))', 'rm x']],
    ['echo ${ rm x; }', ['? echo ${ rm x; }', 'rm x']],
    ['for i in $(rm x); do ls; done', ['rm x', 'ls']],
    ['case $(rm x) in a) ls;; esac', ['rm x', 'ls']],
    // here-documents: a body is data, unless it expands or a shell reads it
    ["cat <<'EOF'\nrm -rf x\n$(rm y)\nEOF", ['cat']],
    ['cat <<EOF\n$(rm x)\nEOF', ['cat', 'rm x']],
    ['cat <<-A <<B\n\tx\n\tA\n$(rm x)\nB', ['cat', 'rm x']],
    ["bash <<'EOF'\nrm -rf x\nEOF", ['bash', 'rm -rf x']],
    ["sudo -u root sh -s <<'EOF'\nrm x\nEOF", ['sudo -u root sh -s', 'sh -s', 'rm x']],
    ["cat <<'EOF' | bash\nrm x\nEOF", ['cat', 'bash', 'rm x']],
    ["bash <<< 'rm x'", ['bash', 'rm x']],
    ["source /dev/stdin <<< 'rm x'", ['source /dev/stdin', 'rm x']],
    ['cat <<< x', ['cat']],
    // redirections
    ['echo hi > f', ['echo hi > f']],
    ['echo hi >> "a b" 2> err', ['echo hi > a b > err']],
    ['echo hi &> f', ['echo hi > f']],
    ['echo hi >| f', ['echo hi > f']],
    ['echo hi >& f', ['echo hi > f']],
    ['echo hi <> f', ['echo hi > f']],
    ['echo hi {fd}> f', ['echo hi > f']],
    ['echo hi > $f', ['echo hi > $f']],
    ['echo x >! f', ['echo x f > !']],
    ['> f', ['? > f > f']],
    ['cat < f', ['cat']],
    ['ls >&-', ['ls']],
    ['ls > /dev/null/../x', ['ls > /dev/null/../x']],
    ['{ ls; } > f', ['? > f > f', 'ls']],
    ['while a; do b; done < in > out', ['? < in > out > out', 'a', 'b']],
    ['tee a b', ['! tee a b > a > b']],
    ['dd if=a of=b', ['! dd if=a of=b > b']],
  ])('%j', async (line, needs) => {
    expect(await brief(line)).toEqual(needs)
  })
})

describe('commands behind other commands', () => {
  test.each<[string, string[]]>([
    ['command -p rm x', ['! command -p rm x', '! rm x']],
    ['command -v rm', ['! command -v rm']],
    ["builtin eval 'rm x'", [`! builtin eval "rm x"`, `! eval "rm x"`, '! rm x']],
    ['exec -a name rm x', ['! exec -a name rm x', '! rm x']],
    ['env -i -u A PATH=/bin rm x', ['! env -i -u A PATH=/bin rm x', '! rm x']],
    ["env -S 'rm x'", [`! env -S "rm x"`, '! rm x']],
    ['nohup rm x', ['! nohup rm x', '! rm x']],
    ['nice -n 5 rm x', ['! nice -n 5 rm x', '! rm x']],
    ['nice -5 rm x', ['! nice -5 rm x', '! rm x']],
    ['timeout -k 5 -s KILL 10 rm x', ['! timeout -k 5 -s KILL 10 rm x', '! rm x']],
    ['timeout --signal=KILL 10 rm x', ['! timeout --signal=KILL 10 rm x', '! rm x']],
    ['stdbuf -oL rm x', ['! stdbuf -oL rm x', '! rm x']],
    ['setsid -w rm x', ['! setsid -w rm x', '! rm x']],
    ['ionice -c3 rm x', ['! ionice -c3 rm x', '! rm x']],
    ['taskset -c 0,1 rm x', ['! taskset -c 0,1 rm x', '! rm x']],
    ['sudo -u root -- rm x', ['! sudo -u root -- rm x', '! rm x']],
    ['sudo A=1 rm x', ['! sudo A=1 rm x', '! rm x']],
    ['doas rm x', ['! doas rm x', '! rm x']],
    ['flock /tmp/l rm x', ['! flock /tmp/l rm x', '! rm x']],
    ["flock /tmp/l -c 'rm x'", [`! flock /tmp/l -c "rm x"`, '! rm x']],
    ["watch -n 1 'rm x'", [`! watch -n 1 "rm x"`, '! rm x']],
    ['busybox rm x', ['! busybox rm x', '! rm x']],
    [
      'nohup nice timeout 5 rm x',
      ['! nohup nice timeout 5 rm x', '! nice timeout 5 rm x', '! timeout 5 rm x', '! rm x'],
    ],
    ["bash -lc 'ls && rm x'", [`! bash -lc "ls && rm x"`, '! ls', '! rm x']],
    ["bash -o pipefail -e -c 'rm x' name", [`! bash -o pipefail -e -c "rm x" name`, '! rm x']],
    ["sh -c 'rm x; ls > f'", [`! sh -c "rm x; ls > f"`, '! rm x', 'ls > f']],
    [`bash -c "bash -c 'rm x'"`, [`! bash -c "bash -c 'rm x'"`, `! bash -c "rm x"`, '! rm x']],
    ['bash -c "rm $x"', ['? bash -c "rm $x"', '? rm $x']],
    ['bash script.sh', ['! bash script.sh']],
    ['eval rm x', ['! eval rm x', '! rm x']],
    ["trap 'rm x' EXIT", [`! trap "rm x" EXIT`, '! rm x']],
    ['trap - EXIT', ['! trap - EXIT']],
    ["alias ls='rm x'", [`alias "ls=rm x"`, 'rm x']],
    ['xargs -n 1 rm', ['! xargs -n 1 rm', 'rm']],
    ['find . -execdir rm {} \\;', ['! find . -execdir rm {} ;', 'rm {}']],
    ['find . -exec a {} + -ok b {} \\;', ['! find . -exec a {} + -ok b {} ;', 'a {}', 'b {}']],
    ['fd pat -x rm', ['! fd pat -x rm', 'rm']],
    ['parallel -j 4 rm ::: a b', ['! parallel -j 4 rm ::: a b', '! rm']],
    ["su - ada -c 'rm x'", [`! su - ada -c "rm x"`, '! rm x']],
    ["git -c alias.x='!rm y' x", [`! git -c "alias.x=!rm y" x`, '! rm y']],
    ["git submodule foreach 'rm x'", [`! git submodule foreach "rm x"`, '! rm x']],
    ['git bisect run ./t', ['! git bisect run ./t', '! ./t']],
    ['npm exec -- rm x', ['! npm exec -- rm x', '! rm x']],
    ['poetry run rm x', ['! poetry run rm x', '! rm x']],
    ["echo 'rm x' | sh", [`! echo "rm x"`, '! sh', 'rm x']],
    ['/usr/bin/env /bin/rm x', ['! /usr/bin/env /bin/rm x', '! /bin/rm x']],
    // names that every object has are no programs of the tables
    ['constructor toString', ['! constructor toString']],
    ['git constructor', ['! git constructor']],
  ])('%j', async (line, needs) => {
    expect(await brief(line)).toEqual(needs)
  })

  test('code within code is followed to a depth, and what is deeper is unknown', async () => {
    const nested = Array.from({ length: 40 }).reduce<string>((code) => `eval ${code}`, 'rm x')
    const needs = await commandNeeds(nested)
    expect(needs.at(-1)).toMatchObject({ argv: null, hazards: ['commands are nested too deeply to be looked into'] })
  })
})

describe('lines that cannot be judged', () => {
  test.each([
    ['echo "unterminated', 'cannot be parsed: unterminated double quote'],
    ['ls &&', "cannot be parsed: expected command after '&&'"],
    ['ls )', "cannot be parsed: unexpected token ')'"],
    ['fi', "cannot be parsed: unexpected token 'fi'"],
    ['echo $(ls', 'cannot be parsed: unterminated command substitution'],
    ['echo $(ls &&)', "cannot be parsed: expected command after '&&'"],
  ])('%j: the whole line is one unknown need', async (line, hazard) => {
    const [first, ...others] = await commandNeeds(line)
    expect(first).toEqual({ type: 'command', argv: null, plain: false, hazards: [hazard], writes: [], text: line })
    expect(others.some((need) => need.plain)).toBe(false)
  })

  test('what bash would run before it meets the error is seen by deny rules', async () => {
    expect(await brief('rm x\nls )')).toEqual(['? rm x\nls )', 'rm x', 'ls'])
  })

  test.each(['', '   ', '\n', '# only a comment'])('%j runs nothing, and that is asked about', async (line) => {
    expect(await commandNeeds(line)).toEqual([
      { type: 'command', argv: null, plain: false, hazards: ['there is nothing to run'], writes: [], text: line },
    ])
  })

  test.each<[string, string, string]>([
    ['a no-break space', 'ls\u00a0-l', '(U+00A0)'],
    ['a byte order mark', 'ls\ufeff', '(U+FEFF)'],
    ['a direction override', '\u202erm x', '(U+202E)'],
    ['a zero-width space', 'ls a\u200bb', '(U+200B)'],
    ['a joiner outside an emoji', 'ls a\u200db', '(U+200D)'],
    ['a variation selector', 'ls a\ufe01', '(U+FE01)'],
    ['a tag', 'ls \u{e0041}', '(U+E0041)'],
    ['a filler', 'ls \u3164', '(U+3164)'],
    ['a carriage return', 'ls\r\nrm x', '(U+000D)'],
    ['an escape', 'ls \x1b[2K', '(U+001B)'],
    ['half a pair', 'ls \ud83d', '(U+D83D)'],
  ])('%s makes every need one that must be asked', async (_what, line, name) => {
    const needs = await commandNeeds(line)
    const hazard = `the command contains hidden or unusual characters ${name}`
    expect(needs.map(({ plain, hazards }) => ({ plain, hazards }))).toEqual(
      needs.map(() => ({ plain: false, hazards: [hazard] })),
    )
  })

  test.each<[string, string, string]>([
    [
      '300 blanks',
      `echo safe${' '.repeat(300)}; rm x`,
      'a long run of blanks may push a part of the command out of sight',
    ],
    [
      '60 newlines',
      `echo safe${'\n'.repeat(60)}rm x`,
      'a long run of empty lines may push a part of the command out of sight',
    ],
    ['a trailing backslash', 'ls \\', 'the command ends in a backslash'],
    ['20 kB', `echo ${'x'.repeat(20_000)}`, 'the command is longer than 16 kB'],
  ])('%s: must be asked', async (_what, line, hazard) => {
    const needs = await commandNeeds(line)
    expect(needs.every((need) => !need.plain && need.hazards.includes(hazard))).toBe(true)
  })

  test('no number of commands hides the last one', async () => {
    const needs = await commandNeeds(`${'true; '.repeat(2_000)}rm x`)
    expect(needs).toHaveLength(2_001)
    expect(needs.at(-1)?.argv).toEqual(['rm', 'x'])
  })

  test.each([
    ['200 kB of one word', 'a'.repeat(200_000)],
    ['substitutions 3,000 deep', '$('.repeat(3_000)],
    ['brackets 3,000 deep', '('.repeat(3_000)],
    ['groups 3,000 deep', '{ '.repeat(3_000)],
    ['backticks in backticks', '`'.repeat(3_000)],
    ['parameter defaults 3,000 deep', '${x:-'.repeat(3_000)],
    ['4,000 here-documents', 'cat <<A '.repeat(4_000)],
  ])('%s ends in an answer', async (_what, line) => {
    const needs = await commandNeeds(line)
    expect(needs.every((need) => !need.plain)).toBe(true)
  })
})
