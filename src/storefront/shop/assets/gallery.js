// All of a product's pictures over the page: arrows, Escape and a swipe go through them. Without this each opens by itself.
const large = document.getElementById('large')
const strip = large.querySelector('.strip')
const gallery = document.querySelector('.gallery')

gallery.addEventListener('click', (event) => {
  const link = event.target.closest('.whole')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const links = [...gallery.querySelectorAll('.whole')]
  strip.replaceChildren(...links.map(enlarge))
  large.classList.toggle('one', links.length < 2)
  large.showModal()
  strip.focus()
  strip.scrollTo({ left: links.indexOf(link) * strip.clientWidth, behavior: 'instant' })
})

function enlarge({ href, firstElementChild }) {
  const picture = new Image()
  picture.loading = 'lazy'
  picture.referrerPolicy = 'no-referrer'
  picture.alt = firstElementChild.querySelector('img').alt
  picture.src = href
  return picture
}

const step = (by) => strip.scrollBy({ left: by * strip.clientWidth })
large.addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!by) return
  event.preventDefault()
  step(by)
})
large.addEventListener('click', ({ target }) => {
  if (target.dataset.step) step(Number(target.dataset.step))
  // Beside the picture.
  else if (target === large || target === strip) large.close()
})
