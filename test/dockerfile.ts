// A Dockerfile as a shell script that builds each stage in a root directory of its own, without Docker. A stage begins
// with this machine's /usr in place of its image, and has no files of the machine's users.
import { readFileSync } from 'node:fs'

type Step = { name: string; text: string }
type Stage = { name: string; steps: Step[] }

export function stagesOf(file: string): Stage[] {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const stages: Stage[] = []
  for (const line of lines.filter(Boolean)) {
    const [, name = '', text = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\w+)$/.exec(text)?.[1] ?? 'image', steps: [] })
    else stages.at(-1)!.steps.push({ name, text })
  }
  return stages
}

/** Runs as root in a mount namespace. `context` is the folder that COPY reads. The roots are `<folder>/<stage>`. */
export function buildScript(stages: Stage[], { context, folder }: { context: string; folder: string }): string {
  const script = stages.map(({ name, steps }) => stageScript(`${folder}/${name}`, steps, { context, folder }))
  return [prelude, ...script].join('\n')
}

/** Runs a command of the last stage as its user and with its environment. */
export function inImage({ steps }: Stage, root: string, command: string[]): string {
  const text = (name: string) => steps.findLast((step) => step.name === name)!.text
  const user = text('USER')
  return [
    `chroot ${root} /usr/bin/env -i PATH=${systemPath} LANG=C.UTF-8 HOME=/ sh -c`,
    quote(`cd ${text('WORKDIR')} && export ${text('ENV')} && exec "$@"`),
    `sh setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs`,
    ...command.map(quote),
  ].join(' ')
}

/** The command of CMD or HEALTHCHECK, both in their JSON form. */
export function commandOf({ steps }: Stage, name: 'CMD' | 'HEALTHCHECK'): string[] {
  const { text } = steps.find((step) => step.name === name)!
  return JSON.parse(text.slice(text.indexOf('[')))
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin'

// npm keeps its registry and its cache of packages.
const prelude = `set -eu
begin() {
  mkdir -p "$1/usr" "$1/etc" "$1/proc" "$1/dev" "$1/tmp" "$1/home" "$1/npm" "$1/var/lib"
  chmod 1777 "$1/tmp"
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$1/$name"; done
  mount --rbind /usr "$1/usr" && mount -o remount,bind,ro "$1/usr"
  mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc"
  for file in login.defs nsswitch.conf resolv.conf hosts ssl ld.so.cache alternatives; do
    if [ -e "/etc/$file" ]; then cp -aL "/etc/$file" "$1/etc/$file"; fi
  done
  for file in passwd group; do awk -F: '$3 < 1000 || $3 > 60000' "/etc/$file" > "$1/etc/$file"; done
  mount --bind "$(npm config get cache)" "$1/npm"
  cp "$(npm config get userconfig)" "$1/etc/npmrc" 2>/dev/null || true
}`

function stageScript(root: string, steps: Step[], { context, folder }: { context: string; folder: string }): string {
  let workdir = '/'
  const npm = 'npm_config_cache=/npm npm_config_userconfig=/etc/npmrc npm_config_prefer_offline=true'
  const lines = steps.flatMap(({ name, text }) => {
    switch (name) {
      case 'WORKDIR':
        workdir = text
        return [`mkdir -p ${root}${workdir}`]
      case 'COPY': {
        const [, stage, paths] = /^(?:--from=(\w+) )?(.*)$/.exec(text)!
        const sources = paths!.split(' ')
        const target = `${root}${workdir}/${sources.pop()}`
        const from = sources.map((source) => (stage ? `${folder}/${stage}${source}` : `${context}/${source}`))
        return [`mkdir -p $(dirname ${target})`, `cp -${stage ? 'al' : 'a'} ${from.join(' ')} ${target}`]
      }
      case 'RUN':
        return [`chroot ${root} /usr/bin/env PATH=${systemPath} ${npm} sh -c ${quote(`cd ${workdir} && ${text}`)}`]
      // They say how it runs.
      case 'USER':
      case 'ENV':
      case 'VOLUME':
      case 'EXPOSE':
      case 'HEALTHCHECK':
      case 'CMD':
        return []
      default:
        throw new Error(`unknown step ${name} ${text}`)
    }
  })
  return [`begin ${root}`, ...lines].join('\n')
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
