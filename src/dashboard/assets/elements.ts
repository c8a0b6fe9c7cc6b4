// Elements that need a script. They do not appear without one.

/** A button that copies what is beside it. */
class CopyText extends HTMLElement {
  connectedCallback(): void {
    this.update()
  }

  update(): void {
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = this.getAttribute('label')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(this.querySelector('code')!.textContent)
      button.textContent = this.getAttribute('done')
    })
    this.append(button)
  }
}

/** Ticks all rows of its table, and with Shift those between two clicks. */
class TickAll extends HTMLElement {
  #last: HTMLInputElement | undefined

  connectedCallback(): void {
    this.update()
    this.closest('table')?.addEventListener('click', (event) => this.#range(event))
  }

  /** The change event comes after the click. */
  #range({ target, shiftKey }: MouseEvent): void {
    const boxes = [...this.closest('table')!.querySelectorAll<HTMLInputElement>('[name=ticked]')]
    const [from, to] = [this.#last, target as HTMLInputElement].map((box) => (box ? boxes.indexOf(box) : -1))
    if (to === -1) return
    const clicked = (this.#last = boxes[to!]!)
    if (!shiftKey || from === -1) return
    for (const box of boxes.slice(Math.min(from!, to!), Math.max(from!, to!) + 1)) box.checked = clicked.checked
  }

  update(): void {
    if (this.querySelector('input')) return
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.ariaLabel = this.getAttribute('label')
    box.addEventListener('change', () => tick(this.closest('table')!, () => box.checked))
    this.append(box)
  }
}

/** Buttons that check the boxes of a preset. */
class TickPresets extends HTMLElement {
  update(): void {
    this.hidden = false
  }

  connectedCallback(): void {
    this.update()
    this.addEventListener('click', ({ target }) => {
      const { preset } = (target as HTMLElement).dataset
      const isTicked = {
        all: () => true,
        none: () => false,
        read: ({ value }: HTMLInputElement) => value.startsWith('read:'),
      }
      if (preset) tick(this.closest('fieldset')!, isTicked[preset as keyof typeof isTicked])
    })
    // A page swap may put it outside of its fieldset for a moment.
    this.closest('fieldset')?.addEventListener('change', ({ target }) => follow(target as HTMLInputElement))
  }
}

/** A button that prints the page. */
class PrintPage extends HTMLElement {
  connectedCallback(): void {
    this.update()
  }

  update(): void {
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = this.getAttribute('label')
    button.addEventListener('click', () => print())
    this.append(button)
  }
}

function tick(within: Element, isTicked: (box: HTMLInputElement) => boolean): void {
  for (const box of within.querySelectorAll<HTMLInputElement>('[type=checkbox]')) box.checked = isTicked(box)
  for (const group of within.querySelectorAll('.group')) settle(group)
}

/** Checks a group when all of its boxes are checked. */
function follow(box: HTMLInputElement): void {
  const group = box.closest('.group')
  if (!group) return
  if (box.name === 'group') tick(group, () => box.checked)
  settle(group)
}

function settle(group: Element): void {
  const [whole, ...each] = group.querySelectorAll<HTMLInputElement>('[type=checkbox]')
  const count = each.filter(({ checked }) => checked).length
  whole!.checked = count === each.length
  whole!.indeterminate = count > 0 && count < each.length
}

customElements.define('copy-text', CopyText)
customElements.define('print-page', PrintPage)
customElements.define('tick-all', TickAll)
customElements.define('tick-presets', TickPresets)
