// Makes the pages better; they are complete without it.
const page = document.documentElement
page.classList.add('js')

// Forms that send themselves when something in them is chosen.
document.addEventListener('change', (event) => {
  const { target } = event
  if (target.closest('form[data-send]') || target.matches('[data-send]')) target.form.requestSubmit()
  if (target.closest('form[data-live]')) refreshSoon(target.form)
  if (target.name?.startsWith('option.')) showChoice(target.form)
})

// A second click while the first is under way does nothing.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!('once' in form.dataset)) return
  if (form.ariaBusy === 'true') event.preventDefault()
  pending?.abort()
  clearTimeout(timer)
  form.ariaBusy = 'true'
})
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy')
})

// The checkout keeps what is typed and shows what it costs, as if "update" were pressed.
let timer, pending
function refreshSoon(form) {
  // An answer to what was chosen before would undo what is chosen now.
  pending?.abort()
  clearTimeout(timer)
  timer = setTimeout(() => refresh(form), 150)
}

async function refresh(form) {
  pending?.abort()
  pending = new AbortController()
  const body = new URLSearchParams(new FormData(form))
  body.set('act', 'update')
  try {
    const answer = await fetch(form.action, { method: 'POST', body, signal: pending.signal })
    const isElsewhere = new URL(answer.url).pathname !== new URL(form.action).pathname
    if (isElsewhere) return location.assign(answer.url)
    if (answer.status < 500) exchange(new DOMParser().parseFromString(await answer.text(), 'text/html'))
  } catch {
    // Away or overtaken by the next: the button still works.
  }
}

function exchange(fresh) {
  const totalOf = (page) => page.getElementById('total').parentElement.textContent
  // A part that is exchanged is not read out: what it comes to is.
  if (totalOf(fresh) !== totalOf(document)) document.getElementById('spoken').textContent = totalOf(fresh)
  const focused = document.activeElement
  const wasAt = focused?.name && [focused.name, focused.value, focused.type]
  for (const part of document.querySelectorAll('[data-swap]')) {
    const next = fresh.getElementById(part.id)
    next?.querySelectorAll('[autofocus]').forEach((one) => one.removeAttribute('autofocus'))
    if (next) part.replaceWith(next)
  }
  if (!wasAt || focused.isConnected) return
  const [name, value, type] = wasAt
  const same = [...document.querySelectorAll(`[name="${CSS.escape(name)}"]`)]
  const choices = ['radio', 'checkbox', 'submit']
  ;(same.find((one) => !choices.includes(type) || one.value === value) ?? same[0])?.focus()
}

// Price, stock and picture of what is chosen of a product.
function showChoice(form) {
  const choices = JSON.parse(document.getElementById('choices').textContent)
  const data = new FormData(form)
  const values = choices[0].values.map((_, index) => data.get(`option.${index}`))
  const matches = (choice, at, value) =>
    choice.values.every((one, index) => one === (index === at ? value : values[index]))
  const choice = choices.find((one) => matches(one))
  for (const input of form.querySelectorAll('[name^="option."]')) {
    const at = Number(input.name.split('.')[1])
    const sells = choices.some((one) => one.sells && matches(one, at, input.value))
    input.parentElement.classList.toggle('out', !sells)
  }
  const element = (id) => document.getElementById(id)
  element('price').textContent = choice?.price ?? ''
  element('compare').hidden = !choice?.compare
  element('compare').lastElementChild.textContent = choice?.compare ?? ''
  element('stock').textContent = choice?.stock ?? ''
  element('stock').className = `stock${choice?.state ?? ' out'}`
  element('add').disabled = !choice?.sells
  element('options-fault')?.remove()
  const image = document.querySelector('#shown img')
  if (image && choice?.image) image.src = choice.image
}
