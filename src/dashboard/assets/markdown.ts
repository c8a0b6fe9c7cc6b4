// Buttons and keys that put Markdown marks around the selection.
type Mark = 'bold' | 'italic' | 'heading' | 'list' | 'numbers' | 'link'

const around = { bold: '**', italic: '_' }
const keys: Record<string, Mark> = { b: 'bold', i: 'italic' }

/** The mark at the start of a line, by the line's number, and the marks that a second press removes. */
const atStart: Record<'heading' | 'list' | 'numbers', { mark: (line: number) => string; known: RegExp }> = {
  heading: { mark: () => '## ', known: /^#{1,6} / },
  list: { mark: () => '- ', known: /^[-*+] / },
  numbers: { mark: (line) => `${line + 1}. `, known: /^\d{1,9}[.)] / },
}
const anyMark = /^(?:#{1,6}|[-*+]|\d{1,9}[.)]) /

class MarkdownText extends HTMLElement {
  connectedCallback(): void {
    const toolbar = this.querySelector<HTMLElement>('[role=toolbar]')!
    toolbar.hidden = false
    for (const button of toolbar.querySelectorAll('button')) button.title = button.textContent!.trim()
    toolbar.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLElement>('[data-mark]')
      if (button) this.#write(button.dataset.mark as Mark)
    })
    toolbar.addEventListener('keydown', (event) => this.#move(event))
    this.#area.addEventListener('keydown', (event) => {
      const mark =
        (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey ? keys[event.key.toLowerCase()] : undefined
      if (!mark) return
      event.preventDefault()
      this.#write(mark)
    })
  }

  get #area(): HTMLTextAreaElement {
    return this.querySelector('textarea')!
  }

  /** A toolbar is one stop of the Tab key; arrows lead within it. */
  #move(event: KeyboardEvent): void {
    const buttons = [...this.querySelectorAll<HTMLElement>('[data-mark]')]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    const last = buttons.length - 1
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    for (const [index, button] of buttons.entries()) button.tabIndex = index === to ? 0 : -1
    buttons[to]!.focus()
  }

  #write(mark: Mark): void {
    if (mark === 'bold' || mark === 'italic') this.#surround(around[mark])
    else if (mark === 'link') this.#link()
    else this.#begin(atStart[mark])
  }

  #surround(sign: string): void {
    const { value, selectionStart: start, selectionEnd: end } = this.#area
    const { length } = sign
    const isAround = value.slice(start - length, start) === sign && value.slice(end, end + length) === sign
    if (isAround) return this.#replace(start - length, end + length, value.slice(start, end), 0)
    const chosen = value.slice(start, end)
    if (chosen.length > 2 * length && chosen.startsWith(sign) && chosen.endsWith(sign))
      return this.#replace(start, end, chosen.slice(length, -length), 0)
    this.#replace(start, end, sign + chosen + sign, length)
  }

  /** The address is selected, so that it can be typed or pasted. */
  #link(): void {
    const { value, selectionStart: start, selectionEnd: end } = this.#area
    const text = value.slice(start, end)
    const address = /^https?:\/\/\S+$/.test(text) ? text : 'https://'
    this.#replace(start, end, `[${text}](${address})`)
    const from = start + text.length + 3
    if (text) this.#area.setSelectionRange(from, from + address.length)
    else this.#area.setSelectionRange(start + 1, start + 1)
  }

  /** Whole lines; a second press takes the marks away. */
  #begin({ mark, known }: (typeof atStart)['list']): void {
    const { value, selectionStart, selectionEnd } = this.#area
    const start = value.lastIndexOf('\n', selectionStart - 1) + 1
    const next = value.indexOf('\n', selectionEnd)
    const end = next < 0 ? value.length : next
    const lines = value.slice(start, end).split('\n')
    const isMarked = lines.every((line) => known.test(line))
    const written = lines.map((line, index) => (isMarked ? '' : mark(index)) + line.replace(anyMark, ''))
    this.#replace(start, end, written.join('\n'))
    const caret = start + written.join('\n').length
    this.#area.setSelectionRange(lines.length > 1 ? start : caret, caret)
  }

  /** Inserts as if typed, so that it can be undone and the form notices. The text within `inset` stays selected. */
  #replace(start: number, end: number, text: string, inset?: number): void {
    const area = this.#area
    area.focus()
    area.setSelectionRange(start, end)
    const isTyped = text ? document.execCommand('insertText', false, text) : document.execCommand('delete')
    if (!isTyped) {
      area.setRangeText(text, start, end, 'end')
      area.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }
    if (inset !== undefined) area.setSelectionRange(start + inset, start + text.length - inset)
  }
}

customElements.define('markdown-text', MarkdownText)
