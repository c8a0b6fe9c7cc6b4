// Makes a passkey of this browser, or signs in by one: asks for what is to be signed, and sends the answer as a form.
class PasskeyForm extends HTMLElement {
  connectedCallback() {
    const isMaking = this.getAttribute('kind') === 'create'
    const reader = isMaking ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
    if (!('PublicKeyCredential' in globalThis) || !(reader in PublicKeyCredential)) return
    this.hidden = false
    const form = this.querySelector('form')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.sign(form, (options) => {
        const publicKey = PublicKeyCredential[reader](options)
        return isMaking ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey })
      })
    })
  }

  async sign(form, ask) {
    const fault = this.querySelector('.fault')
    fault.hidden = true
    try {
      const answer = await fetch(this.getAttribute('options'))
      const credential = await ask(await answer.json())
      form.elements.answer.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      // Its owner did not want to after all, or there is none for this shop.
      fault.hidden = false
    }
  }
}

customElements.define('passkey-form', PasskeyForm)
