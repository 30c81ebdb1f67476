;;; drive.el --- Drives Emacs through the life of one proposal and writes what was seen as JSON  -*- lexical-binding: t -*-

;; Environment: KERNELOPT_TEST_REPORT, KERNELOPT_TEST_DEADLINE_S. The configuration under test is loaded already and the source is the file
;; that Emacs opens. A timer looks on and presses keys.

(defvar drive--deadline-s (string-to-number (getenv "KERNELOPT_TEST_DEADLINE_S")))
(defvar drive--seen (list :steps nil :questions nil))
(defvar drive--buffer nil "The source's.")
(defvar drive--corrected nil "The source's text without its fault.")
(defvar drive--since nil)

(defun drive--put (name value)
  (setq drive--seen (plist-put drive--seen name value)))

(defun drive--add (name value)
  (drive--put name (vconcat (plist-get drive--seen name) (list value))))

;; The consent to run the program, asked in the editor's own way.
(setq completing-read-function (lambda (prompt &rest _) (drive--add :questions (substring-no-properties prompt)) "Once"))

(defun drive--messages ()
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun drive--is-proposed ()
  (seq-some (lambda (text) (string-search "x predicted" text)) (drive--messages)))

(defun drive--text ()
  (buffer-substring-no-properties (point-min) (point-max)))

(defun drive--press (keys)
  "Put point on the kernel and press KEYS."
  (select-window (get-buffer-window drive--buffer))
  (goto-char (point-min))
  (search-forward "__global__")
  (execute-kbd-macro (kbd keys)))

(defun drive--correct ()
  (drive--put :mode (symbol-name major-mode))
  (drive--put :diagnostics (vconcat (drive--messages)))
  (goto-char (point-min))
  (re-search-forward "blockDim.y \\+ threadIdx.y$")
  (insert ";")
  (save-buffer)
  (setq drive--corrected (drive--text)))

(defun drive--type-meanwhile (&rest _)
  "A person types while the edit is on its way."
  (with-current-buffer drive--buffer
    (save-excursion
      (goto-char (point-max))
      (insert "// typed meanwhile\n"))
    (undo-boundary)
    (eglot--signal-textDocument/didChange))) ; what half a second without a key does; eglot counts versions only then

(defun drive--is-said (words)
  (with-current-buffer "*Messages*" (string-search words (drive--text))))

(defun drive--shown-diff ()
  "The buffer of a diff that a window shows."
  (seq-find (lambda (buffer) (string-suffix-p ".diff" (or (buffer-file-name buffer) ""))) (mapcar #'window-buffer (window-list))))

(defvar drive--steps
  `(("a compiler diagnostic" drive--messages drive--correct)
    ("the diagnostic to go" ,(lambda () (null (drive--messages))) ,(lambda () (drive--press "C-c k o")))
    ("a proposal" drive--is-proposed ,(lambda () (drive--press "C-c k p")))
    ("the preview" drive--shown-diff
     ,(lambda ()
        (drive--put :preview (with-current-buffer (drive--shown-diff) (drive--text)))
        (delete-other-windows (get-buffer-window drive--buffer))
        (advice-add 'eglot--apply-workspace-edit :before #'drive--type-meanwhile)
        (drive--press "C-c k a")))
    ("a late edit refused" ,(lambda () (drive--is-said "did not apply the edit"))
     ,(lambda ()
        (drive--put :is_late_edit_refused (if (equal (drive--text) (concat drive--corrected "// typed meanwhile\n")) t :false))
        (advice-remove 'eglot--apply-workspace-edit #'drive--type-meanwhile)
        (drive--press "C-/")))
    ("the proposal to be still offered"
     ,(lambda () (and (drive--is-proposed) (equal (drive--text) drive--corrected)))
     ,(lambda () (drive--press "C-c k a")))
    ("the edit" ,(lambda () (not (equal (drive--text) drive--corrected))) ,(lambda () (drive--put :accepted (drive--text))))
    ("the proposal to be decided" ,(lambda () (not (drive--is-proposed))) ,(lambda () (drive--press "C-/")))
    ("the proposal to be offered again" drive--is-proposed
     ,(lambda () (drive--put :is_undone (if (equal (drive--text) drive--corrected) t :false)))))
  "(what is waited for, its condition, what is done then); conditions and deeds are called in the source's buffer.")

(defun drive--end ()
  (drive--put :said (vector (with-current-buffer "*Messages*" (drive--text))))
  (with-temp-file (getenv "KERNELOPT_TEST_REPORT") (insert (json-serialize drive--seen :false-object :false)))
  (ignore-errors (eglot-shutdown-all))
  (set-buffer-modified-p nil)
  (kill-emacs))

(defun drive--look ()
  (setq drive--buffer (or drive--buffer (seq-find (lambda (buffer) (string-suffix-p ".cu" (or (buffer-file-name buffer) ""))) (buffer-list))))
  (setq drive--since (or drive--since (float-time)))
  (when drive--buffer
    (with-current-buffer drive--buffer
      (condition-case problem
          (pcase-let ((`(,what ,condition ,deed) (car drive--steps)))
            (cond
             ((funcall condition)
              (drive--add :steps what)
              (pop drive--steps)
              (setq drive--since (float-time))
              (funcall deed))
             ((> (- (float-time) drive--since) drive--deadline-s)
              (error "Waited in vain for %s" what))))
        (error
         (drive--put :problem (error-message-string problem))
         (setq drive--steps nil)))
      (unless drive--steps (drive--end)))))

(run-with-timer 0.2 0.2 #'drive--look)
;;; drive.el ends here
