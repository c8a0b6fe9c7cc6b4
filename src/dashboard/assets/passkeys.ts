// Makes a passkey on this device or by a phone: asks for what it is to be of, and sends it with the form.

class PasskeyMaker extends HTMLElement {
  connectedCallback(): void {
    this.update()
    // Heard before the page sends the form: that waits until there is an answer.
    this.addEventListener('submit', (event) => {
      const form = event.target as HTMLFormElement
      const answer = form.querySelector<HTMLInputElement>('[name=answer]')
      if (!answer || answer.value !== '') return
      event.preventDefault()
      void this.#make(form, answer)
    })
  }

  update(): void {
    this.hidden = !('PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential)
  }

  async #make(form: HTMLFormElement, answer: HTMLInputElement): Promise<void> {
    const fault = this.querySelector<HTMLElement>('.fault[hidden], .fault[role=alert]')!
    fault.hidden = true
    try {
      const asked = await fetch(this.getAttribute('options')!, { method: 'POST' })
      const { data } = (await asked.json()) as { data: PublicKeyCredentialCreationOptionsJSON }
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data)
      const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null
      if (!credential) return
      answer.value = JSON.stringify(credential.toJSON())
      form.requestSubmit()
      answer.value = ''
    } catch {
      // Its owner did not want to after all, or the device has one already.
      fault.hidden = false
    }
  }
}

customElements.define('passkey-maker', PasskeyMaker)
