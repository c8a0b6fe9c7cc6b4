// A letter as text, for who reads mail without HTML.
import type { Block, Letter } from './letter.ts'

export function plainOf({ blocks, sender }: Letter): string {
  return `${[...blocks.map(paragraph), `${sender.name}\n${sender.url}`].join('\n\n')}\n`
}

function paragraph(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'soft':
      return block.text
    case 'button':
      return `${block.text}:\n${block.url}`
    case 'facts':
      return block.facts.map(({ name, value }) => `${name}:\n${indented(value)}`).join('\n\n')
    case 'bill':
      return [
        `${block.title}:`,
        ...block.lines.map(({ name, detail, amount }) => `  ${detail} × ${name}: ${amount}`),
        ...block.sums.map(({ name, amount }) => `${name}: ${amount}`),
      ].join('\n')
  }
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}
