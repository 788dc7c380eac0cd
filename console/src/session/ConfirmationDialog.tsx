import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client'
import { SESSION_TEXTS as TEXTS } from '../texts/session'
import { onConfirmation } from './confirmation'
import { useMe } from './me'

/** Mails a code, and takes it. */
export function ConfirmationDialog() {
  const { email } = useMe()
  const [decide, setDecide] = useState<((isConfirmed: boolean) => void) | null>(null)
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    try {
      await act()
      return true
    } catch (error) {
      setProblem((error as Error).message)
      return false
    } finally {
      setBusy(false)
    }
  }
  const askForCode = () => attempt(() => answer(api.POST('/me/confirmation')))

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page begins
  useEffect(() => {
    onConfirmation((question) => {
      setCode('')
      setDecide(() => question)
      void askForCode()
    })
    return () => onConfirmation(null)
  }, [])

  const close = (isConfirmed: boolean) => {
    decide?.(isConfirmed)
    setDecide(null)
  }
  return (
    <Modal opened={decide !== null} onClose={() => close(false)} title={TEXTS.confirmTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void attempt(() => answer(api.POST('/me/confirmation/verify', { body: { code } }))).then((isDone) => isDone && close(true))
        }}
      >
        <Stack>
          <Text>{TEXTS.codeMailed(email)}</Text>
          {problem !== null && <Alert color="red">{problem}</Alert>}
          <TextInput
            label={TEXTS.code}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value.trim())}
            inputMode="numeric"
            autoComplete="one-time-code"
            data-autofocus
          />
          <Group justify="space-between">
            <Button variant="subtle" onClick={() => void askForCode()} loading={isBusy}>
              {TEXTS.anotherCode}
            </Button>
            <Button type="submit" disabled={code === ''} loading={isBusy}>
              {TEXTS.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
