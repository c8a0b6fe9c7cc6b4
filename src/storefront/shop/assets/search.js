// Products appear below the search as it is typed; arrows go through them, and Escape leaves them.
const query = document.getElementById('q')
const matches = document.getElementById('matches')
let looking
query.addEventListener('input', () => {
  clearTimeout(looking)
  looking = setTimeout(suggest, 150)
})

async function suggest() {
  const { form, value } = query
  const answer = await fetch(`${form.action}/suggestions?q=${encodeURIComponent(value)}`).catch(() => null)
  // Overtaken by further letters, or the shop is away: the search itself still works.
  if (!answer?.ok || query.value !== value) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  matches.replaceChildren(...fresh.body.children)
  matches.hidden = !matches.querySelector('a')
}

query.form.addEventListener('keydown', (event) => {
  if (matches.hidden) return
  const stops = [query, ...matches.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const next = event.key === 'Escape' ? query : step && stops[stops.indexOf(document.activeElement) + step]
  if (event.key === 'Escape') matches.hidden = true
  if (!next) return
  event.preventDefault()
  next.focus()
})
query.form.addEventListener('focusout', ({ relatedTarget }) => {
  if (!query.form.contains(relatedTarget)) matches.hidden = true
})
