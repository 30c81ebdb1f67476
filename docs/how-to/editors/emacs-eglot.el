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
    (cond ((null action) (user-error "Nothing for %s here" command))
          ((fboundp 'eglot-execute) (eglot-execute (eglot-current-server) action))
          (t (let ((call (plist-get action :command))) ; before Emacs 30
               (eglot-execute-command (eglot-current-server) (intern command) (plist-get call :arguments)))))))

(pcase-dolist (`(,key ,name ,command)
               '(("o" kernelopt-optimize "kernelopt.optimize")
                 ("f" kernelopt-profile "kernelopt.profile")
                 ("v" kernelopt-verify "kernelopt.check")
                 ("p" kernelopt-preview "kernelopt.proposal.preview")
                 ("a" kernelopt-accept "kernelopt.proposal.accept")
                 ("r" kernelopt-reject "kernelopt.proposal.reject")
                 ("e" kernelopt-explain "kernelopt.proposal.explain")))
  (defalias name `(lambda () ,(format "Run `%s' at point." command) (interactive) (kernelopt--run ,command)))
  (define-key cuda-mode-map (kbd (concat "C-c k " key)) name))
(define-key cuda-mode-map (kbd "C-c k k") #'eglot-code-actions)
