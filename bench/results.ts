// Each program of bench/ owns one section of RESULTS.md.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('RESULTS.md', import.meta.url)

export function writeSection(title: string, text: string): void {
  const sections = existing()
    .split(/^(?=## )/m)
    .filter((section) => !section.startsWith(`## ${title}\n`))
  writeFileSync(file, `${sections.map((section) => section.trimEnd()).join('\n\n')}\n\n## ${title}\n\n${text}\n`)
}

function existing(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '# Benchmark results\n'
  }
}
