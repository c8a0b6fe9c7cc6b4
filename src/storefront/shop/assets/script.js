// Makes the pages better; they are complete without it.

// Arrow keys step through a closed list: only a pointer sends its form.
let byKeys = false
document.addEventListener('keydown', () => (byKeys = true), true)
document.addEventListener('pointerdown', () => (byKeys = false), true)

document.addEventListener('change', ({ target }) => {
  if (target.closest('form[data-send]') && !byKeys) target.form.requestSubmit()
  if (target.closest('form[data-live]')) refreshSoon(target.form)
  if (target.name?.startsWith('option.')) showChoice(target.form)
})

// A picture that does not come leaves the letter of its product.
const letter = ({ parentElement }) => parentElement?.classList.contains('tile') && parentElement.classList.add('broken')
document.addEventListener('error', ({ target }) => target.tagName === 'IMG' && letter(target), true)
for (const image of document.images) if (image.complete && !image.naturalWidth) letter(image)

// The current category may stand outside of its row.
const here = document.querySelector('.categories [aria-current]')
here?.closest('.categories').scrollTo(here.offsetLeft - 16, 0)

// A second click does nothing.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!('once' in form.dataset)) return
  if (form.ariaBusy === 'true') event.preventDefault()
  pending?.abort()
  clearTimeout(timer)
  form.ariaBusy = 'true'
})
// Back to the answer of a form is a page again, not a form to confirm.
for (const { action } of document.querySelectorAll('form[data-once]'))
  if (new URL(action).pathname === location.pathname) history.replaceState(null, '', location.href)

addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy')
})

// The checkout and the cart keep what is typed and show what it costs, as if "update" were pressed.
let timer, pending
function refreshSoon(form) {
  // An answer to what was chosen before would undo what is chosen now.
  pending?.abort()
  clearTimeout(timer)
  timer = setTimeout(() => refresh(form), form.dataset.live)
}

async function refresh(form) {
  const { signal } = (pending = new AbortController())
  const body = new URLSearchParams(new FormData(form))
  body.set('act', 'update')
  try {
    const answer = await fetch(form.action, { method: 'POST', body, signal })
    if (answer.status >= 500) throw answer
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const isElsewhere = new URL(answer.url).pathname !== new URL(form.action).pathname
    if (isElsewhere || !fresh.querySelector('form[data-live]')) return location.assign(answer.url)
    exchange(form, fresh)
  } catch {
    // The button still works. Overtaken by the next, it says nothing.
    if (!signal.aborted) document.getElementById('offline').hidden = false
  }
}

function exchange(form, fresh) {
  const totalOf = (page) => page.getElementById('total').parentElement.textContent
  // A part that is exchanged is not read out: what it comes to is.
  if (totalOf(fresh) !== totalOf(document)) document.getElementById('spoken').textContent = totalOf(fresh)
  document.getElementById('offline').hidden = true
  const focused = document.activeElement
  for (const part of document.querySelectorAll('[data-swap]')) {
    const next = fresh.getElementById(part.id)
    // A list whose rows are exchanged one by one stays, unless there are fewer.
    if (!next || (part.dataset.swap === 'rows' && next.childElementCount === part.childElementCount)) continue
    // So does a field of the same country.
    if (part.dataset.key && next.dataset.key === part.dataset.key) continue
    next.querySelectorAll('[autofocus]').forEach((one) => one.removeAttribute('autofocus'))
    if (part.dataset.key) keepTyped(part, next)
    part.replaceWith(next)
  }
  for (const field of form.elements) markFault(field, fresh)
  if (!focused?.isConnected) focusLike(focused)
}

// What was typed while the answer was on its way.
function keepTyped(part, next) {
  for (const field of part.querySelectorAll('input')) {
    const same = next.querySelector(`input[id="${CSS.escape(field.id)}"]`)
    if (same) same.value = field.value
  }
}

// What is typed stays; only its fault is exchanged.
function markFault(field, fresh) {
  const next = field.id && fresh.getElementById(field.id)
  if (!next || field.closest('[data-swap]:not([data-swap=rows], [data-key])')) return
  document.getElementById(`${field.id}-fault`)?.remove()
  const fault = fresh.getElementById(`${field.id}-fault`)
  if (fault) field.closest('.field, .pair').after(fault)
  for (const name of ['aria-invalid', 'aria-describedby']) {
    if (next.hasAttribute(name)) field.setAttribute(name, next.getAttribute(name))
    else field.removeAttribute(name)
  }
}

function focusLike({ id, name, value, type }) {
  const choices = ['radio', 'checkbox', 'submit']
  const same = [...document.querySelectorAll(`[name="${CSS.escape(name ?? '')}"]`)]
  const likest = same.find((one) => !choices.includes(type) || one.value === value) ?? same[0]
  ;(document.getElementById(id) ?? likest)?.focus()
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
  element('compare').hidden = !choice?.compare
  element('compare').lastElementChild.textContent = choice?.compare ?? ''
  for (const id of ['price', 'unit', 'lowest', 'stock']) element(id).textContent = choice?.[id] ?? ''
  element('stock').className = `stock${choice?.state ?? ' out'}`
  const sku = element('sku')
  if (sku) sku.textContent = choice?.sku ?? ''
  if (sku) sku.parentElement.hidden = !choice?.sku
  for (const row of document.querySelectorAll('[data-variant]')) row.hidden = row.dataset.variant !== choice?.variant
  element('add').disabled = !choice?.sells
  element('options-fault')?.remove()
  // Its own picture comes first.
  const own = [...document.querySelectorAll('.whole')].find((link) => link.getAttribute('href') === choice?.image)
  own?.parentElement.prepend(own)
  own?.parentElement.scrollTo(0, 0)
}
