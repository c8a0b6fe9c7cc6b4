// Each program of bench/ owns one section of RESULTS.md. The newest stands first.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('RESULTS.md', import.meta.url)

export function writeSection(title: string, text: string): void {
  const [head, ...others] = existing()
    .split(/^(?=## )/m)
    .filter((section) => !section.startsWith(`## ${title}\n`))
  const sections = [head!, `## ${title}\n\n${text}`, ...others]
  writeFileSync(file, `${sections.map((section) => section.trimEnd()).join('\n\n')}\n`)
}

function existing(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '# Benchmark results\n'
  }
}
