// Before the first paint, so that a dark page does not flash. A file, because the policy of the page allows no script inside of it.
try {
  const chosen = localStorage.getItem('posthaste-color-scheme')
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
} catch {
  // Storage can be forbidden. The page then begins light.
}
