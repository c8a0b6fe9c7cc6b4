// Signs in by a passkey of this browser: gets the challenge to sign, and sends the answer as a form.

class PasskeyButton extends HTMLElement {
  connectedCallback(): void {
    if (!('PublicKeyCredential' in globalThis) || !PublicKeyCredential.parseRequestOptionsFromJSON) return
    this.hidden = false
    const form = this.querySelector('form')!
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#sign(form)
    })
  }

  async #sign(form: HTMLFormElement): Promise<void> {
    const fault = this.querySelector<HTMLElement>('.fault')!
    fault.hidden = true
    try {
      const answer = await fetch(this.getAttribute('options')!)
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json())
      const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null
      if (!credential) return
      form.querySelector<HTMLInputElement>('[name=answer]')!.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      // The owner canceled, or there is none for this site.
      fault.hidden = false
    }
  }
}

customElements.define('passkey-button', PasskeyButton)
