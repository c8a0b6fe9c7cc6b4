// The cart beside the product: what is added shows without leaving the page. Without this the cart is a page.
const drawer = document.getElementById('drawer')

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  const isOurs = form.matches('.buying') ? submitter?.formMethod !== 'get' : drawer.contains(form) && form.matches('.cart')
  if (event.defaultPrevented || !isOurs || submitter?.value === 'checkout') return
  event.preventDefault()
  send(form, submitter).finally(() => form.removeAttribute('aria-busy'))
})

async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter))
  const answer = await fetch(form.action, { method: 'POST', body }).catch(() => null)
  const isCart = answer?.ok && new URL(answer.url).pathname.endsWith('/cart')
  // Nothing was added: the page itself says why.
  if (!isCart) return form.submit()
  show(new DOMParser().parseFromString(await answer.text(), 'text/html'))
}

function show(page) {
  drawer.querySelector('[data-cart]').replaceChildren(...page.getElementById('main').children)
  document.getElementById('cart-link').replaceWith(page.getElementById('cart-link'))
  if (!drawer.open) drawer.showModal()
  else drawer.focus()
}

// Beside the drawer.
drawer.addEventListener('click', ({ target }) => target === drawer && drawer.close())
