/** How many leading words of a command say what it does: the prefix that an "always" may propose. */
import { programName } from './programs.ts'

/**
 * The number of leading words that name the deed (`git status`, `npm run build`, `docker compose up`), at least 1.
 * 0 when the words end or turn into options before the deed is named, so that no prefix is proposed.
 */
export function commandArity(argv: readonly string[]): number {
  const name = programName(argv[0] ?? '')
  let arity = 1
  for (const { words, length } of arities.get(name) ?? []) {
    if (words.every((word, i) => argv[i + 1] === word)) arity = length
  }
  if (argv.length < arity) return 0
  return argv.slice(1, arity).some((word) => word.startsWith('-')) ? 0 : arity
}

type Arity = { words: string[]; length: number }

/** By program; an entry with more words refines the ones before it. */
const arities = new Map<string, Arity[]>()

function add(length: number, list: string): void {
  for (const line of list.split(', ')) {
    const [program, ...words] = line.split(' ') as [string, ...string[]]
    const known = arities.get(program) ?? []
    known.push({ words, length })
    arities.set(program, known)
  }
}

add(
  2,
  'git, jj, hg, svn, gh, glab, npm, pnpm, yarn, bun, deno, corepack, volta, nvm, nx, turbo, lerna, rush, ng, expo, prisma, ' +
    'cargo, rustup, go, zig, stack, cabal, swift, flutter, dart, mix, rebar3, dotnet, gradle, gradlew, mvn, mvnw, sbt, bazel, ' +
    'buck2, pants, make, gmake, just, task, ninja, meson, rake, rails, bundle, gem, composer, pip, pipx, uv, poetry, pdm, rye, ' +
    'hatch, pipenv, conda, tox, nox, pre-commit, alembic, docker, podman, kubectl, helm, terraform, tofu, pulumi, ansible, ' +
    'vagrant, heroku, fly, vercel, netlify, wrangler, firebase, supabase, brew, apt, apt-get, dnf, yum, apk, pacman, snap, ' +
    'systemctl, launchctl, mise, asdf, sqlx, diesel, psql, redis-cli, python, node, npx, bunx',
)
add(
  3,
  'npm run, npm run-script, pnpm run, yarn run, yarn workspace, bun run, deno task, composer run, poetry run, uv run, uv pip, ' +
    'pipenv run, pdm run, hatch run, bundle exec, mise run, nx run, git stash, git remote, git worktree, git submodule, ' +
    'git bisect, git config, cargo nextest, go tool, gh pr, gh issue, gh run, gh repo, gh release, gh workflow, ' +
    'docker compose, docker image, docker container, docker volume, docker network, podman compose, kubectl get, ' +
    'kubectl describe, terraform state, terraform workspace, dotnet tool, helm repo, conda env, aws, gcloud, az, doctl',
)
