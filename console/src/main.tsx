import '@mantine/core/styles.css'
import '@mantine/charts/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import { Center, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client'
import { queryClient } from './api/queries'
import { LoadingMark } from './parts/Loading'
import { MeContext, useSignedIn } from './session/me'
import { NONCE } from './shell/nonce'
import { PageProblem } from './shell/problems'
import { router } from './shell/router'
import { CSS_VARIABLES, THEME } from './theme'

const colors = localStorageColorSchemeManager({ key: 'posthaste-color-scheme' })
/** Dialogs keep the page from scrolling by a style of another library, which looks for the nonce here. */
Object.assign(globalThis, { __webpack_nonce__: NONCE })
const SIGNED_OUT = 401

/** When the page was last loaded anew for a file that was gone. */
const LOADED_ANEW = 'posthaste-loaded-anew'
const LOADED_ANEW_MS = 60_000

// After an update the files of a page that is open have other names: the page of today is loaded, once.
window.addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem(LOADED_ANEW) ?? 0)
  if (Date.now() - last < LOADED_ANEW_MS) return
  event.preventDefault()
  sessionStorage.setItem(LOADED_ANEW, String(Date.now()))
  window.location.reload()
})

function Console() {
  const { data: me, error } = useSignedIn()
  // Once someone is here, nothing that they typed is lost: a dialog says that the session has ended.
  if (!me && error instanceof ApiError && error.status === SIGNED_OUT) {
    window.location.replace(`/console/sign-in?next=${encodeURIComponent(window.location.pathname + window.location.search)}`)
    return null
  }
  if (error && !me) return <PageProblem error={error} />
  if (!me)
    return (
      <Center h="100vh">
        <LoadingMark />
      </Center>
    )
  return (
    <MeContext value={me}>
      <RouterProvider router={router} />
    </MeContext>
  )
}

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={THEME}
        cssVariablesResolver={CSS_VARIABLES}
        colorSchemeManager={colors}
        defaultColorScheme="auto"
        getStyleNonce={() => NONCE}
      >
        <Notifications position="bottom-right" />
        <QueryClientProvider client={queryClient}>
          <Console />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
