# Puts the file `table` between the marks of `name`.
$0 == "<!-- end " name " -->" { isInside = 0 }
!isInside { print }
$0 == "<!-- begin " name " -->" {
    isInside = 1
    print ""
    while ((getline line < table) > 0) print line
    print ""
}
