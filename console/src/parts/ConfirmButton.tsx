import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmDialog, type ConfirmDialogProps } from './ConfirmDialog'

type ConfirmButtonProps = {
  name: string
  /** Names what it is about too, where each row of a list has such a button. */
  label?: string
  isBusy?: boolean
} & Pick<ConfirmDialogProps, 'question' | 'act' | 'onConfirm' | 'typed'> &
  Pick<ButtonProps, 'color' | 'variant' | 'size' | 'disabled'>

/** A button that asks before it does what cannot be undone. */
export function ConfirmButton({
  name,
  label,
  question,
  act,
  onConfirm,
  typed,
  isBusy = false,
  color = 'red',
  size,
  // The small one stands in each row of a list.
  variant = size === 'compact-sm' ? 'subtle' : 'light',
  ...props
}: ConfirmButtonProps) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button
        color={color}
        variant={variant}
        onClick={dialog.open}
        loading={isBusy}
        aria-label={label}
        {...(size !== undefined && { size })}
        {...props}
      >
        {name}
      </Button>
      <ConfirmDialog
        title={name}
        question={question}
        act={act}
        onConfirm={onConfirm}
        typed={typed}
        color={typeof color === 'string' ? color : 'red'}
        isOpen={isOpen}
        onClose={dialog.close}
      />
    </>
  )
}
