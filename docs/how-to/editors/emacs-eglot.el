(require 'eglot)

;; Emacs has no CUDA mode of its own.
(define-derived-mode cuda-mode c++-mode "CUDA")
(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . cuda-mode))

(add-to-list 'eglot-server-programs '((cuda-mode :language-id "cuda") . ("kernelopt" "lsp")))
(add-hook 'cuda-mode-hook #'eglot-ensure)
(setq-default eglot-workspace-configuration '(:kernelopt (:background (:profile "on_command"))))

(defun kernelopt--run (command)
  "Run COMMAND of the server on the kernel or the proposal at point."
  (let ((action (seq-find (lambda (action) (equal (plist-get (plist-get action :command) :command) command))
                          (eglot-code-actions (line-beginning-position) (line-end-position)))))
    (if action
        (eglot-execute (eglot-current-server) action)
      (user-error "Nothing for %s here" command))))

(pcase-dolist (`(,key ,name ,command)
               '(("o" kernelopt-optimize "kernelopt.optimize")
                 ("f" kernelopt-profile "kernelopt.profile")
                 ("v" kernelopt-verify "kernelopt.check")
                 ("p" kernelopt-preview "kernelopt.proposal.preview")
                 ("a" kernelopt-accept "kernelopt.proposal.accept")
                 ("r" kernelopt-reject "kernelopt.proposal.reject")
                 ("e" kernelopt-explain "kernelopt.proposal.explain")))
  (defalias name `(lambda () ,(format "Run `%s' at point." command) (interactive) (kernelopt--run ,command)))
  (keymap-set cuda-mode-map (concat "C-c k " key) name))
(keymap-set cuda-mode-map "C-c k k" #'eglot-code-actions)
