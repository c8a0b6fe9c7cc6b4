// Parts of a form that the server renders again for the input, such as the results of a search for items. Without a
// script, the same buttons submit the form.
import { applyPart } from './part.ts'

const pauseMs = 200

class FormParts extends HTMLElement {
  #timer = 0
  #turn = 0

  connectedCallback(): void {
    this.update()
    this.addEventListener('input', ({ target }) => {
      const { dataset, value } = target as HTMLInputElement
      if (!dataset.picks) return
      clearTimeout(this.#timer)
      this.#timer = window.setTimeout(() => void this.#draw(dataset.picks!), value === '' ? 0 : pauseMs)
    })
    this.addEventListener('keydown', (event) => {
      const { picks } = (event.target as HTMLElement).dataset
      if (!picks || event.key !== 'Enter') return
      // Enter would send the form.
      event.preventDefault()
      clearTimeout(this.#timer)
      void this.#draw(picks)
    })
    this.addEventListener('change', ({ target }) => {
      const { type, name } = target as HTMLInputElement
      if (type === 'radio') void this.#draw(name, target as HTMLElement)
    })
    this.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLButtonElement>('button[name=pick]:not([type=button])')
      if (!button) return
      event.preventDefault()
      void this.#draw(button.value, button)
    })
    // What was typed before this script had come.
    const search = this.querySelector<HTMLInputElement>('[data-picks]')
    if (search && search.value !== search.defaultValue) void this.#draw(search.dataset.picks!)
  }

  /** The search runs by itself; its button is for browsers without a script. */
  update(): void {
    const search = this.querySelector<HTMLElement>('[data-picks] ~ button')
    if (search) search.hidden = true
  }

  async #draw(pick: string, button?: HTMLElement): Promise<void> {
    const form = this.closest('form')
    // The page has been exchanged meanwhile.
    if (!form) return
    const turn = ++this.#turn
    const fields = [...new FormData(form)].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    const body = new URLSearchParams([...fields, ['pick', pick]])
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } }).catch(
      () => null,
    )
    if (!answer || turn !== this.#turn || !this.isConnected) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const id of this.getAttribute('ids')!.split(' ')) applyPart(fresh, id)
    this.update()
    if (button && !button.isConnected) this.querySelector<HTMLElement>('[type=search], button')?.focus()
    if (button) form.dispatchEvent(new Event('input', { bubbles: true }))
  }
}

customElements.define('form-parts', FormParts)
