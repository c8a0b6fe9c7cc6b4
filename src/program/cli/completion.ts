// stoa completion: a script that completes commands, options, and the methods and paths of stoa api in a shell.
import type { Command } from 'commander'
import type { Route } from '../../kit/declare/route.ts'
import { methods } from './api.ts'
import { runCommand, readOnlyReason } from './output.ts'

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands and API paths in bash or zsh: source <(stoa completion)')
    .action(() =>
      runCommand(program, readOnlyReason, async () => {
        // Imported here because all routes take longer to load than most commands take to run.
        const { tables } = await import('../tables.ts')
        const paths = tables.flatMap(({ prefix, routes }) =>
          routes.map((route) => ({ ...route, path: prefix + route.path })),
        )
        const script = buildCompletionScript([...listNextWords(program), ...apiWords(paths)])
        return { json: { script }, text: script }
      }),
    )
}

/** Words that can follow these words of a command line. */
type NextWords = { after: string; words: string[] }

function listNextWords(command: Command, before: string[] = []): NextWords[] {
  const options = command.options.flatMap(({ long }) => (long ? [long] : []))
  const words = [...command.commands.map((each) => each.name()), ...options, ...(before.length > 0 ? [] : ['--help'])]
  return [
    { after: before.join(' '), words },
    ...command.commands.flatMap((each) => listNextWords(each, [...before, each.name()])),
  ]
}

function apiWords(routes: readonly Pick<Route, 'method' | 'path'>[]): NextWords[] {
  const byMethod = Map.groupBy(routes, ({ method }) => method)
  return [
    { after: 'api', words: [...methods] },
    ...methods.map((method) => {
      const paths = (byMethod.get(method) ?? []).map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))
      return { after: `api ${method}`, words: [...new Set(paths)].sort() }
    }),
  ]
}

/** Words that begin with a hyphen are options: the rest says which command it is. */
function buildCompletionScript(all: readonly NextWords[]): string {
  const byPlace = Map.groupBy(all, ({ after }) => after)
  const cases = [...byPlace].map(
    ([after, words]) => `    '${after}') words='${words.flatMap((each) => each.words).join(' ')}' ;;`,
  )
  return `if [ -n "$ZSH_VERSION" ]; then autoload -U +X compinit bashcompinit && compinit && bashcompinit; fi
_stoa() {
  local word place='' words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [ "\${word#-}" = "$word" ] && place="\${place:+$place }$word"
  done
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _stoa stoa`
}
