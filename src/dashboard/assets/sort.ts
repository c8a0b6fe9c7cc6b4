// Rows that are dragged by their handle, with a mouse, a pen or a finger.

/** Calls `onDrop` if the order has changed. */
export function dragRows(list: HTMLElement, onDrop: () => void): void {
  list.addEventListener('pointerdown', (event) => {
    const row = (event.target as Element).closest('[data-handle]')?.closest('li')
    if (!row || event.button !== 0) return
    event.preventDefault()
    // A row that moves would lose the pointer.
    list.setPointerCapture(event.pointerId)
    row.toggleAttribute('data-dragged', true)
    const before = row.nextElementSibling
    const follow = ({ clientY }: PointerEvent) => place(row, clientY)
    const stop = () => {
      row.toggleAttribute('data-dragged', false)
      list.removeEventListener('pointermove', follow)
      if (row.nextElementSibling !== before) onDrop()
    }
    list.addEventListener('pointermove', follow)
    list.addEventListener('lostpointercapture', stop, { once: true })
  })
}

/** Above the first row whose middle is below the pointer. */
function place(row: Element, y: number): void {
  const others = [...row.parentElement!.children].filter((one) => one !== row && !(one as HTMLElement).hidden)
  const next = others.find((one) => {
    const { top, height } = one.getBoundingClientRect()
    return y < top + height / 2
  })
  const last = others.at(-1)
  if (next && next !== row.nextElementSibling) next.before(row)
  else if (!next && last && last !== row.previousElementSibling) last.after(row)
}

class SortList extends HTMLElement {
  connectedCallback(): void {
    this.update()
    dragRows(this, () => this.querySelector('button')!.form!.requestSubmit())
  }

  update(): void {
    for (const part of this.querySelectorAll<HTMLElement>('[data-script]')) part.hidden = false
  }
}

customElements.define('sort-list', SortList)
