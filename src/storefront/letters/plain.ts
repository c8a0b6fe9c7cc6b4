// An email as plain text.
import type { Block, LetterContent } from './letter.ts'

export function renderLetterText({ blocks, sender }: LetterContent): string {
  const foot = [sender.name, sender.url, ...(sender.imprint ?? [])].join('\n')
  return `${[...blocks.flatMap((block) => paragraph(block) ?? []), foot].join('\n\n')}\n`
}

function paragraph(block: Block): string | null {
  switch (block.kind) {
    case 'text':
    case 'soft':
      return block.text
    case 'button':
    case 'link':
      return `${block.text}:\n${block.url}`
    case 'facts':
      return block.facts.map(({ name, value }) => `${name}:\n${indentText(value)}`).join('\n\n')
    case 'bill':
      return [
        `${block.title}:`,
        ...block.lines.map(({ name, detail, amount }) => `  ${detail} × ${name}: ${amount}`),
        ...block.sums.map(({ name, amount }) => `${name}: ${amount}`),
      ].join('\n')
    case 'picture':
      return null
  }
}

function indentText(text: string): string {
  return text.replace(/^/gm, '  ')
}
