import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { type MutationCacheNotifyEvent, type QueryCacheNotifyEvent, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, answer, api } from '../api/client'
import { reopenLive } from '../api/live'
import { ErrorAlert } from '../parts/ErrorAlert'
import { SESSION_TEXTS as TEXTS } from '../texts/session'
import { useMe } from './me'

const SIGNED_OUT = 401

/** Says that the session has ended, or that there is no network, and leaves the page and what was typed as they are. */
export function SignedOutNotice() {
  const { online } = useNetwork()
  return (
    <>
      <SignedOutDialog />
      {!online && (
        <Alert color="orange" role="status" mb="md">
          {TEXTS.offline}
        </Alert>
      )}
    </>
  )
}

/** Above all other dialogs, so that a form in one of them stays as it is below. */
function SignedOutDialog() {
  const client = useQueryClient()
  const { id } = useMe()
  const [isSignedOut, setSignedOut] = useState(false)
  const [problem, setProblem] = useState<Error | null>(null)
  useEffect(() => {
    // What failed at this moment: an older error is still known when it is tried again.
    const look = (event: QueryCacheNotifyEvent | MutationCacheNotifyEvent) => {
      if (event.type !== 'updated' || event.action.type !== 'error') return
      const { error } = event.action
      if (error instanceof ApiError && error.status === SIGNED_OUT) setSignedOut(true)
    }
    const reads = client.getQueryCache().subscribe(look)
    const acts = client.getMutationCache().subscribe(look)
    return () => {
      reads()
      acts()
    }
  }, [client])

  /** @param isAsked whether the person wants to know why not */
  const goOn = async (isAsked: boolean) => {
    try {
      const me = await answer(api.GET('/me'))
      // What is on this page is the other person's.
      if (me.id !== id) return window.location.reload()
    } catch (error) {
      if (isAsked) setProblem(error instanceof ApiError && error.status === SIGNED_OUT ? new Error(TEXTS.stillSignedOut) : (error as Error))
      return
    }
    setSignedOut(false)
    setProblem(null)
    reopenLive()
    void client.invalidateQueries()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only while it asks
  useEffect(() => {
    if (!isSignedOut) return
    const comeBack = () => {
      if (document.visibilityState === 'visible') void goOn(false)
    }
    window.addEventListener('focus', comeBack)
    document.addEventListener('visibilitychange', comeBack)
    return () => {
      window.removeEventListener('focus', comeBack)
      document.removeEventListener('visibilitychange', comeBack)
    }
  }, [isSignedOut])

  return (
    <Modal
      opened={isSignedOut}
      onClose={() => setSignedOut(false)}
      title={TEXTS.signedOutTitle}
      zIndex={400}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack>
        <Text>{TEXTS.signedOut}</Text>
        {problem !== null && <ErrorAlert error={problem} color="orange" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void goOn(true)}>
            {TEXTS.goOn}
          </Button>
          <Button component="a" href="/console/sign-in" target="_blank" rel="noopener" data-autofocus>
            {TEXTS.signIn}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
