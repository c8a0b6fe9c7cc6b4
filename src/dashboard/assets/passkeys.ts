// Creates a passkey on this device or by phone: reads its options, and submits it with the form.

class PasskeyMaker extends HTMLElement {
  connectedCallback(): void {
    this.update()
    // Runs before the page submits the form, which waits for the passkey.
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
      // The person declined, or the device already has a passkey.
      fault.hidden = false
    }
  }
}

customElements.define('passkey-maker', PasskeyMaker)
