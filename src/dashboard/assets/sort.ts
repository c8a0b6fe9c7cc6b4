// Rows that are dragged by their handle, with a mouse, a pen or a finger.

// A shorter way is a click.
const minDistance = 4

/** Calls `onDrop` if the order has changed. `isAcross`: several are in one line, such as pictures. */
export function dragRows(list: HTMLElement, onDrop: () => void, isAcross = false): void {
  list.addEventListener('pointerdown', (start) => {
    const row = (start.target as Element).closest('[data-handle]')?.closest('li')
    if (!row || start.button !== 0) return
    start.preventDefault()
    const before = row.nextElementSibling
    const stop = new AbortController()
    const follow = (at: PointerEvent) => {
      const distance = Math.hypot(at.clientX - start.clientX, at.clientY - start.clientY)
      if (!list.hasPointerCapture(start.pointerId)) {
        if (distance < minDistance) return
        // A row that moves would lose the pointer.
        list.setPointerCapture(start.pointerId)
        row.toggleAttribute('data-dragged', true)
      }
      place(row, at, isAcross)
    }
    const end = () => {
      stop.abort()
      row.toggleAttribute('data-dragged', false)
      if (row.nextElementSibling !== before) onDrop()
    }
    addEventListener('pointermove', follow, stop)
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, end, stop)
  })
}

/** Before the first row whose middle is beyond the pointer. */
function place(row: Element, { clientX: x, clientY: y }: PointerEvent, isAcross: boolean): void {
  const others = [...row.parentElement!.children].filter((one) => one !== row && !(one as HTMLElement).hidden)
  const next = others.find((one) => {
    const { left, top, bottom, width, height } = one.getBoundingClientRect()
    return isAcross ? y < top || (y < bottom && x < left + width / 2) : y < top + height / 2
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
