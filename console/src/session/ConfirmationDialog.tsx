import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { confirmByPasskey, knowsPasskeys } from '../account/passkey'
import { answer, api } from '../api/client'
import { ErrorAlert } from '../parts/ErrorAlert'
import { SESSION_TEXTS as TEXTS } from '../texts/session'
import { onConfirmation } from './confirmation'
import { MailHint } from './MailHint'
import { useMe } from './me'

type Way = 'asking' | 'passkey' | 'code'

/** Takes a passkey of the person, or mails a code and takes that. What was typed in the form below stays. */
export function ConfirmationDialog() {
  const { email } = useMe()
  const [decide, setDecide] = useState<((isConfirmed: boolean) => void) | null>(null)
  const [way, setWay] = useState<Way>('asking')
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)

  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    try {
      await act()
      return true
    } catch (error) {
      setProblem(error as Error)
      return false
    } finally {
      setBusy(false)
    }
  }
  const mailCode = () => {
    setWay('code')
    void attempt(() => answer(api.POST('/me/confirmation')))
  }
  const begin = async () => {
    setCode('')
    setProblem(null)
    setWay('asking')
    if (await hasPasskeyHere()) setWay('passkey')
    else mailCode()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page begins
  useEffect(() => {
    onConfirmation((question) => {
      setDecide(() => question)
      void begin()
    })
    return () => onConfirmation(null)
  }, [])

  const close = (isConfirmed: boolean) => {
    decide?.(isConfirmed)
    setDecide(null)
  }
  const confirm = (act: () => Promise<unknown>) => void attempt(act).then((isDone) => isDone && close(true))
  return (
    // Above the dialog of the form for which it is asked.
    <Modal opened={decide !== null} onClose={() => close(false)} title={TEXTS.confirmTitle} zIndex={300}>
      <Stack>
        <Text>{TEXTS.confirmWhy}</Text>
        {problem !== null && <ErrorAlert error={problem} />}
        {way === 'passkey' && (
          <>
            <Text>{TEXTS.passkeyFirst}</Text>
            <Group justify="space-between">
              <Button variant="subtle" onClick={mailCode} disabled={isBusy}>
                {TEXTS.codeInstead}
              </Button>
              <Group gap="xs">
                <Button variant="default" onClick={() => close(false)}>
                  {TEXTS.doNotConfirm}
                </Button>
                <Button onClick={() => confirm(confirmByPasskey)} loading={isBusy} data-autofocus>
                  {TEXTS.usePasskey}
                </Button>
              </Group>
            </Group>
          </>
        )}
        {way === 'code' && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              confirm(() => answer(api.POST('/me/confirmation/verify', { body: { code } })))
            }}
          >
            <Stack>
              <MailHint sentence={TEXTS.codeMailed(email)} command={['people', 'code', email]} />
              <TextInput
                label={TEXTS.code}
                value={code}
                onChange={(event) => setCode(event.currentTarget.value.trim())}
                inputMode="numeric"
                autoComplete="one-time-code"
                ref={focusIt}
              />
              <Group justify="space-between">
                <Button variant="subtle" onClick={mailCode} loading={isBusy}>
                  {TEXTS.anotherCode}
                </Button>
                <Group gap="xs">
                  <Button variant="default" onClick={() => close(false)}>
                    {TEXTS.doNotConfirm}
                  </Button>
                  <Button type="submit" disabled={code === ''} loading={isBusy}>
                    {TEXTS.confirm}
                  </Button>
                </Group>
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Modal>
  )
}

/** The field comes when the dialog has chosen its focus already. */
const focusIt = (field: HTMLInputElement | null): void => field?.focus()

/** Whether the person has one for this address, and the browser knows what they are. A code does without an answer. */
async function hasPasskeyHere(): Promise<boolean> {
  if (!knowsPasskeys()) return false
  const passkeys = await answer(api.GET('/me/passkeys')).catch(() => null)
  return passkeys?.data.some(({ is_usable: isUsable }) => isUsable) ?? false
}
