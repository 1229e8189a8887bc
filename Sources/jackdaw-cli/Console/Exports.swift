// Almost every file of the command writes to a console or throws its errors.
@_exported public import JackdawConsole
