// Sums on the buttons of forms. LiveTotal shows the total that the server computes for the input, also in elements with
// data-total; without a script a button asks for it.
import { readNumber } from './numbers.ts'

const patienceMs = 350

class LiveTotal extends HTMLElement {
  #timer = 0
  #asked = 0

  connectedCallback(): void {
    this.update()
    this.closest('form')!.addEventListener('input', () => {
      clearTimeout(this.#timer)
      this.#timer = window.setTimeout(() => void this.#ask(), patienceMs)
    })
  }

  update(): void {
    this.querySelector('button')!.hidden = true
  }

  async #ask(): Promise<void> {
    const form = this.closest('form')
    if (!form) return
    const asked = ++this.#asked
    const fields = [...new FormData(form)].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    const body = new URLSearchParams([...fields, ['rehearse', '1']])
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } }).catch(
      () => null,
    )
    if (!answer || asked !== this.#asked || !this.isConnected) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const panel = this.closest('[id]:not(form)')!
    const button = fresh.querySelector(`#${panel.id} .send button`)
    for (const [index, said] of panel.querySelectorAll('[data-total]').entries()) {
      said.textContent = fresh.querySelectorAll(`#${panel.id} [data-total]`)[index]?.textContent ?? ''
    }
    if (button) panel.querySelector('.send button')!.textContent = button.textContent
  }
}

/** Names the sum of an input on the form's button. */
class NamedSum extends HTMLElement {
  connectedCallback(): void {
    this.closest('form')!.addEventListener('input', ({ target }) => {
      const { name, value } = target as HTMLInputElement
      if (this.isConnected && name === this.getAttribute('input'))
        this.#show(Number(readNumber(value, document.documentElement.lang)))
    })
  }

  #show(amount: number): void {
    if (!Number.isFinite(amount)) return
    const { lang } = document.documentElement
    const format = new Intl.NumberFormat(lang, { style: 'currency', currency: this.getAttribute('currency')! })
    const text = this.getAttribute('text')!.replace('{amount}', format.format(amount))
    this.closest('form')!.querySelector('.send button')!.textContent = text
  }
}

customElements.define('live-total', LiveTotal)
customElements.define('named-sum', NamedSum)
